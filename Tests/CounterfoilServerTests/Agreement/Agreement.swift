import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator

/// Compares the state of a customer in the simulator with the state in the server.
enum Agreement {
    /// The differences as texts; empty if the states agree. Skips the subscriptions in `ignored`, which has original
    /// transaction identifiers.
    static func differences(
        _ truth: CustomerState, _ known: CustomerStates, except ignored: Set<String> = []
    ) -> [String] {
        subscriptions(
            truth.subscriptions.filter { !ignored.contains($0.originalTransactionID) },
            known.subscriptions.filter { !ignored.contains($0.originalTransactionID) })
            + purchases(truth.purchases, known.purchases)
    }

    private static func subscriptions(
        _ truth: [CustomerState.SubscriptionState], _ known: [SubscriptionState]
    ) -> [String] {
        let migrated = Set(truth.filter { $0.expirationIntent == .other }.map(\.originalTransactionID))
        // A migration ends a subscription for another reason. No notification says so, so the server may lack the reason.
        let known = known.map { state in
            guard state.expirationIntent == nil, migrated.contains(state.originalTransactionID) else { return state }
            var migratedState = state
            migratedState.expirationIntent = .other
            return migratedState
        }
        return compare(
            Dictionary(truth.map { ($0.originalTransactionID, members($0)) }) { first, _ in first },
            Dictionary(known.map { ($0.originalTransactionID, members($0)) }) { first, _ in first })
    }

    private static func purchases(
        _ truth: [CustomerState.PurchaseState], _ known: [PurchaseState]
    ) -> [String] {
        compare(
            Dictionary(truth.map { ($0.transactionID, members($0)) }) { first, _ in first },
            Dictionary(known.map { ($0.transactionID, members($0)) }) { first, _ in first })
    }

    private static func compare(_ truth: [String: [String]], _ known: [String: [String]]) -> [String] {
        Set(truth.keys).union(known.keys).sorted().flatMap { key -> [String] in
            guard let one = truth[key] else { return ["\(key): only the server has it"] }
            guard let other = known[key] else { return ["\(key): only the simulator has it"] }
            return zip(one, other).filter { $0 != $1 }.map { "\(key): \($0) in the simulator, \($1) in the server" }
        }
    }

    private static func members(_ state: CustomerState.SubscriptionState) -> [String] {
        [
            "status \(state.status)", "access \(state.hasAccess)", "product \(state.productID)",
            "transaction \(state.transactionID)", "group \(state.subscriptionGroupIdentifier)",
            "expires \(text(state.expiresDate))", "renews \(state.autoRenewStatus == .on)",
            "into \(state.autoRenewProductID)", "intent \(text(state.expirationIntent?.rawValue))",
            "retry \(state.isInBillingRetryPeriod ?? false)", "grace \(text(state.gracePeriodExpiresDate))",
            "ownership \(state.inAppOwnershipType.rawValue)",
            "offer \(text(state.offerType?.rawValue)) \(text(state.offerIdentifier))",
            "price \(text(state.priceIncreaseStatus?.rawValue))", "revoked \(text(state.revocationDate))",
        ]
    }

    private static func members(_ state: SubscriptionState) -> [String] {
        [
            "status \(state.status)", "access \(state.hasAccess)", "product \(state.productID)",
            "transaction \(state.transactionID)", "group \(text(state.subscriptionGroupIdentifier))",
            "expires \(text(state.expiresDate))", "renews \(text(state.willRenew))",
            "into \(text(state.autoRenewProductID))", "intent \(text(state.expirationIntent?.rawValue))",
            "retry \(state.isInBillingRetry)", "grace \(text(state.gracePeriodExpiresDate))",
            "ownership \(state.ownership.rawValue)",
            "offer \(text(state.offerType?.rawValue)) \(text(state.offerIdentifier))",
            "price \(text(state.priceIncreaseStatus?.rawValue))", "revoked \(text(state.revocationDate))",
        ]
    }

    private static func members(_ state: CustomerState.PurchaseState) -> [String] {
        [
            "product \(state.productID)", "type \(state.type.rawValue)", "quantity \(state.quantity)",
            "bought \(text(state.purchaseDate))", "revoked \(text(state.revocationDate))",
            "ownership \(state.inAppOwnershipType.rawValue)",
        ]
    }

    private static func members(_ state: PurchaseState) -> [String] {
        [
            "product \(state.productID)", "type \(state.type.rawValue)", "quantity \(state.quantity)",
            "bought \(text(state.purchaseDate))", "revoked \(text(state.revocationDate))",
            "ownership \(state.ownership.rawValue)",
        ]
    }

    private static func text<Value>(_ value: Value?) -> String { value.map { "\($0)" } ?? "-" }

    private static func text(_ date: Date?) -> String { date.map(stamp) ?? "-" }

    /// The date in ISO 8601 with milliseconds.
    static func stamp(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
