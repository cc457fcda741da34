import AppStoreModels
import AppStoreServer
import Foundation

/// A request with which the developer's server changes a subscription through the Advanced Commerce API.
enum AdvancedCommerceChange: CaseIterable {
    case migration, cancellation, price, revocation

    /// Requests the change. Ignores errors: the App Store refuses many changes, and some responses are lost.
    func request(of transactionID: String, from client: AppStoreServerClient) async {
        let info = AdvancedCommerceRequestInfo(requestReferenceId: UUID())
        do {
            switch self {
            case .migration:
                let request = AdvancedCommerceSubscriptionMigrateRequest(
                    requestInfo: info, descriptors: .init(description: "d", displayName: "N"),
                    items: [.init(sku: "n", description: "d", displayName: "n")], targetProductId: "generic",
                    taxCode: "C003-00-2")
                _ = try await client.migrateSubscription(transactionID, request)
            case .cancellation:
                _ = try await client.cancelSubscription(transactionID, .init(requestInfo: info))
            case .price:
                let request = AdvancedCommerceSubscriptionPriceChangeRequest(
                    requestInfo: info, items: [.init(sku: "tv", price: 6000)])
                _ = try await client.changeSubscriptionPrice(transactionID, request)
            case .revocation:
                let request = AdvancedCommerceSubscriptionRevokeRequest(
                    requestInfo: info, refundReason: .other, refundRiskingPreference: false, refundType: .prorated)
                _ = try await client.revokeSubscription(transactionID, request)
            }
        } catch {}
    }
}
