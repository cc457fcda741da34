internal import AppStoreModels
internal import Foundation

/// The facts about a customer that a scenario can check.
struct CustomerFacts {
    /// Short names for facts that Apple represents by a number or a longer name.
    private static let short = ["status", "access", "product", "autoRenew", "renewsInto", "expires"]
    private static let members = CustomerState.SubscriptionState.CodingKeys.allCases.map(\.rawValue)
    static let names = Set(short + members + ["purchases", "subscription", "storefront", "isBillingFailing"])

    private static let statuses: [SubscriptionStatus: String] = [
        .active: "active", .expired: "expired", .billingRetry: "billing_retry",
        .billingGracePeriod: "billing_grace_period", .revoked: "revoked",
    ]

    /// The values by name, as JSON.
    private(set) var values: [String: JSONValue] = [:]

    /// Reads the facts about a customer. `selector` chooses one of several subscriptions; nil means the latest.
    init(_ store: Store, _ customer: String, choosing selector: String?, at now: Date) throws {
        let state = try store.state(of: customer, at: now)
        values["storefront"] = .string(state.storefront)
        values["isBillingFailing"] = .bool(state.isBillingFailing)
        values["purchases"] = .array(state.purchases.filter { $0.revocationDate == nil }.map { .string($0.productID) })
        let id = try? store.subscription(of: customer, selector).id
        guard let subscription = state.subscriptions.first(where: { $0.originalTransactionID == id }) else {
            values["status"] = .string("none")
            values["access"] = .bool(false)
            return
        }
        if case .object(let members) = try JSONValue(encoding: subscription) {
            values.merge(members) { $1 }
        }
        values["status"] = .string(Self.statuses[subscription.status] ?? "\(subscription.status.rawValue)")
        values["access"] = .bool(subscription.hasAccess)
        values["product"] = .string(subscription.productID)
        values["autoRenew"] = .bool(subscription.autoRenewStatus == .on)
        values["renewsInto"] = .string(subscription.autoRenewProductID)
        values["expires"] = values["expiresDate"]
    }
}

extension JSONValue {
    /// The text of the value in a report.
    var shown: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): value
        case .array(let items): "[" + items.map(\.shown).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.sorted { $0.key < $1.key }.map { "\($0): \($1.shown)" }.joined(separator: ", ") + "}"
        }
    }
}
