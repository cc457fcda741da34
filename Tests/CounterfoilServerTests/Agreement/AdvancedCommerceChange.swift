import AppStoreModels
import AppStoreServer
import Foundation

/// A request with which the developer's server changes a subscription through the Advanced Commerce API.
enum AdvancedCommerceChange: CaseIterable {
    case migration, cancellation, price, revocation

    /// A refusal, and what the faults of a random history cause.
    private static let expectedErrors: Set<AppStoreServerError.Code> = [
        .refused, .serverFailure, .transport, .timeout, .undecodableResponse, .circuitOpen,
    ]

    /// Requests the change. The App Store refuses many changes, and some requests and responses are lost.
    func requestDespiteFaults(of transactionID: String, from client: AppStoreServerClient) async throws {
        do { try await request(of: transactionID, from: client) } catch {
            guard Self.expectedErrors.contains(error.code) else { throw error }
        }
    }

    /// Requests the change.
    func request(of transactionID: String, from client: AppStoreServerClient) async throws(AppStoreServerError) {
        let info = AdvancedCommerceRequestInfo(requestReferenceId: UUID())
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
    }
}
