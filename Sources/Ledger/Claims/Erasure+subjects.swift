internal import AppStoreModels
internal import Entitlements
internal import Foundation

extension Erasure {
    /// The places where a customer's name is stored, in the order in which an erasure handles them. Data that the App
    /// Store signed are not among them.
    package enum Subject: Sendable, Hashable, CaseIterable {
        /// The customer's claims. They stay, with the stand-in.
        case claims
        /// The customer's grants. They are deleted.
        case grants
        /// Events of other customers' grants from when they were this customer's. They stay, with the stand-in.
        case formerGrants
        /// The customer's usage reports. They are deleted.
        case usage
        /// The stored responses to idempotent requests about the customer. They are deleted.
        case storedResponses
        /// The purchases that the customer still owns by the account token that the App Store signed. The stand-in
        /// takes them.
        case purchases
        /// The consumption inquiries. They stay, without a name.
        case inquiries
        /// The events of the customer and about the customer's purchases. They stay, with the stand-in and without the
        /// names of other customers.
        case events
        /// The pending webhook deliveries. They stay, under the stand-in, and their bodies are built again.
        case deliveries
    }

    /// Returns the claim with the stand-in; nil if the claim does not change.
    package func renamed(_ event: ClaimEvent, of customer: String) -> ClaimEvent? {
        guard covers(event.instant), event.customer.isExactly(customer) else { return nil }
        return ClaimEvent(at: event.instant, event.kind, standIn)
    }

    /// Returns the grant event with the stand-in; nil if the event does not change.
    package func renamed(_ event: GrantEvent, of customer: String) -> GrantEvent? {
        guard covers(event.instant), event.content.customer?.isExactly(customer) ?? false else { return nil }
        var renamed = event
        renamed.content.customer = standIn
        return renamed
    }

    /// Whether the grant is deleted. Grants that came to the customer after the erasure, by a merge, stay.
    package func removes(_ grant: Grant) -> Bool { covers(grant.heldSince) }

    /// Whether the usage report is deleted.
    package func removes(_ report: UsageReport) -> Bool { covers(report.reportedAt) }

    /// Whether the stored response to a request is deleted, if the customer whom the request is about is erased in this
    /// app and environment.
    ///
    /// A response that names another app or environment is about a different customer of the same name there. A
    /// response that names none, or that does not exist yet, is deleted.
    package static func removes(
        _ response: IdempotentRequest.StoredResponse?, about bundleID: String, in environment: String
    ) -> Bool {
        guard let response else { return true }
        let named: NamedAudience
        // A body that is not JSON, or has other types for these members, names no app.
        do { named = try JSONDecoder().decode(NamedAudience.self, from: response.body) } catch { return true }
        return (named.app.map { $0.isExactly(bundleID) } ?? true)
            && (named.environment.map { $0.isExactly(environment) } ?? true)
    }

    /// The app and environment that a response names.
    private struct NamedAudience: Decodable {
        var app: String?
        var environment: String?
    }

    /// Whether the purchase was made before the erasure. True if no transaction of it is known.
    package func covers(_ purchase: Lineage) -> Bool {
        purchase.madeAt.map { covers($0) } ?? true
    }

    /// Returns the last instant of purchases, inquiries, events and deliveries that lose the name.
    ///
    /// - Parameter isRepeated: Whether an earlier erasure is applied again, after an import. Then what is later does
    ///   not change. A new erasure covers all of them, since clocks differ.
    package func reach(isRepeated: Bool) -> Milliseconds { isRepeated ? instant : .max }

    /// Whether the purchase loses the name: see ``reach(isRepeated:)``.
    package func covers(_ purchase: Lineage, isRepeated: Bool) -> Bool { !isRepeated || covers(purchase) }

    /// Returns the claim by which the stand-in takes the purchase, after its claims were renamed. Nil if the customer
    /// does not own it or claimed it after the erasure: a returning customer may restore purchases, and a later import
    /// of the erasure does not take them away.
    package func disowningClaim(for ownership: Ownership, of customer: String) -> ClaimEvent? {
        guard ownership.owners.containsExactly(customer), !isClaimedSince(ownership, by: customer) else { return nil }
        return ClaimEvent(at: ownership.claims.next(after: instant), .take, standIn)
    }

    /// Whether the customer owns the purchase by a claim made after the erasure.
    private func isClaimedSince(_ ownership: Ownership, by customer: String) -> Bool {
        let claimed = ownership.claims.owners
        let owners = claimed.isEmpty && ownership.named == nil ? ownership.account.owners : claimed
        return owners.contains { $0.customer.isExactly(customer) && !covers($0.since) }
    }

    /// Returns the event about the customer, or about one of the customer's purchases, without the name; nil if it does
    /// not change. The members of events of the server's own that name former and new owners are removed too.
    package func renamed(_ event: LedgerEvent, of customer: String) -> LedgerEvent? {
        var renamed = event
        if event.customer?.isExactly(customer) ?? false { renamed.customer = standIn }
        if event.notification == nil { renamed.data = nil }
        return renamed == event ? nil : renamed
    }
}
