import AppStoreModels
import Foundation
internal import Ledger
internal import LedgerServices
import StoreSimulator
import Synchronization

/// The purchases of a customer, as far as they must be equal in the App Store and in the server's response.
private struct ComparedPurchases: Decodable, Equatable {
    struct Subscription: Decodable, Equatable {
        var originalTransactionId, productId: String
        var status: Int
        var hasAccess: Bool
        var expiresDate: Int64?
        var willRenew: Bool?
        var autoRenewProductId: String?
        var expirationIntent: Int?
        var isInBillingRetry: Bool
        var gracePeriodExpiresDate: Int64?
        var ownership: String
        var revocationDate: Int64?
    }

    struct Purchase: Decodable, Equatable {
        var transactionId, productId, ownership: String
        var revocationDate: Int64?
    }

    var subscriptions: [Subscription]
    var purchases: [Purchase]

    /// The same purchases sorted by identifier.
    var sorted: ComparedPurchases {
        ComparedPurchases(
            subscriptions: subscriptions.sorted { $0.originalTransactionId < $1.originalTransactionId },
            purchases: purchases.sorted { $0.transactionId < $1.transactionId })
    }

    /// The purchases on one line of text.
    var summary: String {
        let parts = subscriptions.map { state in
            let end = state.expiresDate.map { " until " + Date(milliseconds: $0).readable.prefix(10) } ?? ""
            let word = ["", "active", "expired", "in billing retry", "in grace period", "taken back"]
            return "\(state.productId) \(word.indices.contains(state.status) ? word[state.status] : "?")\(end)"
        }
        let others = purchases.map { $0.productId + ($0.revocationDate == nil ? "" : " taken back") }
        return parts.isEmpty && others.isEmpty ? "nothing bought" : (parts + others).joined(separator: "; ")
    }
}

/// Compares the server's responses with the state of the simulated App Store.
struct DemoComparison {
    /// A customer whose purchases differ between the App Store and the server.
    struct Difference: Sendable {
        var customer, appStore, server: String
    }

    let plan: DemoPlan
    let client: DemoServerClient

    /// Requests every customer from the server and returns those that differ.
    ///
    /// - Parameters:
    ///   - states: The customers' states in the App Store, at `instant` or now.
    ///   - instant: The instant to compare; nil for now.
    func differences(_ states: [CustomerState], at instant: Date? = nil) async throws -> [Difference] {
        let customers = Dictionary(plan.customers.map { ($0.name, $0) }) { first, _ in first }
        let differences = Mutex<[Difference]>([])
        try await Concurrently.forEach(states, atOnce: 8) { state in
            guard let customer = customers[state.customer],
                let found = try await difference(state, customer, at: instant)
            else { return }
            differences.withLock { $0.append(found) }
        }
        return differences.withLock { $0 }.sorted { $0.customer < $1.customer }
    }

    private func difference(
        _ state: CustomerState, _ customer: DemoPlan.Customer, at instant: Date?
    ) async throws -> Difference? {
        let query = instant.map { "?at=\($0.milliseconds)" } ?? ""
        let response: ComparedPurchases = try await client.get("/v1/customers/\(customer.id)\(query)")
        guard state.comparedPurchases.sorted != response.sorted else { return nil }
        return Difference(customer: state.customer, appStore: state.summary, server: response.summary)
    }
}

extension CustomerState {
    fileprivate var comparedPurchases: ComparedPurchases {
        ComparedPurchases(
            subscriptions: subscriptions.map { state in
                ComparedPurchases.Subscription(
                    originalTransactionId: state.originalTransactionID, productId: state.productID,
                    status: Int(state.status.rawValue), hasAccess: state.hasAccess,
                    expiresDate: state.expiresDate?.milliseconds, willRenew: state.autoRenewStatus == .on,
                    autoRenewProductId: state.autoRenewProductID,
                    expirationIntent: state.expirationIntent.map { Int($0.rawValue) },
                    isInBillingRetry: state.isInBillingRetryPeriod ?? false,
                    gracePeriodExpiresDate: state.gracePeriodExpiresDate?.milliseconds,
                    ownership: state.inAppOwnershipType.rawValue, revocationDate: state.revocationDate?.milliseconds)
            },
            purchases: purchases.map { state in
                ComparedPurchases.Purchase(
                    transactionId: state.transactionID, productId: state.productID,
                    ownership: state.inAppOwnershipType.rawValue, revocationDate: state.revocationDate?.milliseconds)
            })
    }
}
