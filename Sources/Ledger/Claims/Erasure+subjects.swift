internal import AppStoreModels
internal import Entitlements
internal import Foundation

extension Erasure {
    /// Where a customer's name is kept, in the order in which it is taken away. What the App Store signed is not among them.
    package enum Subject: Sendable, Hashable, CaseIterable {
        /// The claims that were made for the customer. They stay, with the stand-in.
        case claims
        /// The customer's grants. They go.
        case grants
        /// What happened to grants of others while they were the customer's. It stays, with the stand-in.
        case formerGrants
        /// What was reported of the customer's use. It goes.
        case usage
        /// The answers that are remembered for requests about the customer. They go.
        case rememberedAnswers
        /// The purchases that are the customer's still, by the account that the App Store signed. The stand-in takes them.
        case purchases
        /// The questions before refunds. They stay, without a name.
        case refundQuestions
        /// The events of the customer and about the customer's purchases. They stay, with the stand-in and without what
        /// names others.
        case events
        /// What waits to be sent to webhooks. It stays, under the stand-in, and what it says is written anew.
        case deliveries
    }

    /// What a claim becomes; nil when it stays as it is.
    package func renamed(_ event: ClaimEvent, of customer: String) -> ClaimEvent? {
        guard covers(event.instant), event.customer.isExactly(customer) else { return nil }
        return ClaimEvent(at: event.instant, event.kind, standIn)
    }

    /// What becomes of what happened to a grant; nil when it stays as it is.
    package func renamed(_ event: GrantEvent, of customer: String) -> GrantEvent? {
        guard covers(event.instant), event.content.customer?.isExactly(customer) ?? false else { return nil }
        var renamed = event
        renamed.content.customer = standIn
        return renamed
    }

    /// Whether one of the customer's grants goes. What came to them after the erasure, by a merge, stays.
    package func removes(_ grant: Grant) -> Bool { covers(grant.heldSince) }

    /// Whether what was reported of the customer's use goes.
    package func removes(_ report: UsageReport) -> Bool { covers(report.reportedAt) }

    /// Whether the remembered answer to a request about a customer goes, who is erased in an app and an environment.
    ///
    /// One that names another app or environment is about somebody else, who is called the same there. One that names none,
    /// or is not there yet, goes.
    package static func removes(
        _ answer: RememberedRequest.Answer?, about bundleID: String, in environment: String
    ) -> Bool {
        guard let answer else { return true }
        let named: NamedAudience
        // What is no JSON, or has something else than names there, names nobody.
        do { named = try JSONDecoder().decode(NamedAudience.self, from: answer.body) } catch { return true }
        return (named.app.map { $0.isExactly(bundleID) } ?? true)
            && (named.environment.map { $0.isExactly(environment) } ?? true)
    }

    /// What an answer says of whom it is about.
    private struct NamedAudience: Decodable {
        var app: String?
        var environment: String?
    }

    /// Whether a purchase was made until the erasure. One of which nothing is known may have been.
    package func covers(_ purchase: Lineage) -> Bool {
        purchase.transactions.map(\.purchaseDate).min().map { covers($0.milliseconds) } ?? true
    }

    /// The claim by which a purchase becomes nobody's, once its claims are renamed; nil if the customer does not have
    /// it, or claimed it after the erasure: who comes back may restore what they bought, and an import of later takes
    /// nothing from them.
    package func disowning(_ ownership: Ownership, of customer: String) -> ClaimEvent? {
        guard ownership.owners.containsExactly(customer), !isClaimedSince(ownership, by: customer) else { return nil }
        return ClaimEvent(at: ownership.claims.next(after: instant), .take, standIn)
    }

    /// Whether a customer has a purchase by a claim of theirs from after the erasure.
    private func isClaimedSince(_ ownership: Ownership, by customer: String) -> Bool {
        let claimed = ownership.claims.owners
        let owners = claimed.isEmpty && ownership.named == nil ? ownership.account.owners : claimed
        return owners.contains { $0.customer.isExactly(customer) && !covers($0.since) }
    }

    /// What an event becomes that is about the customer, or about one of the customer's purchases; nil when it stays as it
    /// is. Beside the customer, those of the server's own name who had a purchase before, and who has it since.
    package func renamed(_ event: LedgerEvent, of customer: String) -> LedgerEvent? {
        var renamed = event
        if event.customer?.isExactly(customer) ?? false { renamed.customer = standIn }
        if event.notification == nil { renamed.data = nil }
        return renamed == event ? nil : renamed
    }
}
