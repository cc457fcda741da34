import CounterfoilServer
import Foundation

@testable import Ledger

/// Who owns each purchase, by the sentences of `docs/app.md`, `docs/privacy.md` and the API's description, without the
/// instants of claims.
struct OwnershipModel {
    private struct Purchase {
        var account: String
        var token: String?
        /// The customers who claimed the purchase last; nil if nobody did.
        var claimed: Set<String>?
    }

    /// Takes the place of an erased customer.
    private static let erased = "erased:"

    let policy: RestorePolicy
    private var purchases: [String: Purchase] = [:]
    /// The customers who claimed the Apple accounts.
    private var accounts: [String: String] = [:]

    init(policy: RestorePolicy) { self.policy = policy }

    /// The original transaction identifiers, sorted.
    var originals: [String] { purchases.keys.sorted() }

    /// Adds a purchase, or the account token of a later period.
    mutating func learn(_ original: String, boughtBy account: String, for token: String?) {
        purchases[original, default: Purchase(account: account, token: token)].token = token
    }

    /// The owner is the customer who claimed the purchase last, or else the account in the signed purchase, or else the
    /// customer who claimed the Apple account.
    private func all(_ original: String) -> Set<String> {
        guard let purchase = purchases[original] else { return [] }
        if let claimed = purchase.claimed { return claimed }
        return Set([purchase.token ?? accounts[purchase.account]].compactMap(\.self))
    }

    /// The owners of a purchase, without erased customers.
    func owners(_ original: String) -> Set<String> { all(original).subtracting([Self.erased]) }

    /// The owners of all purchases.
    var owners: [String: Set<String>] {
        Dictionary(uniqueKeysWithValues: purchases.keys.map { ($0, owners($0)) })
    }

    /// Whether a purchase has no owner, not even an erased one.
    func isUnclaimed(_ original: String) -> Bool { all(original).isEmpty }

    /// The word of the API for the reason of the ownership.
    func reason(_ original: String) -> String {
        if all(original) == [Self.erased] { return "erased" }
        guard purchases[original]?.claimed == nil else { return "claimed" }
        return purchases[original]?.token == nil ? "account_claimed" : "account_named"
    }

    /// A report of purchases and of an Apple account.
    ///
    /// - Parameters:
    ///   - sent: The original transaction identifiers.
    ///   - restore: The member of the body.
    ///   - access: The purchases that give access.
    /// - Returns: The purchases that the customer keeps; nil if the report is refused, and nothing changes.
    mutating func report(
        _ sent: Set<String>, account: String?, restore: Bool?, for customer: String, access: Set<String>
    ) -> Set<String>? {
        let before = self
        let reported = restore == false ? .keepOriginal : policy
        let kept = sent.filter {
            claim($0, for: customer, reported, movesNamed: restore == true, access: access)
        }
        var isRefused = restore != false && !sent.isEmpty && kept.isEmpty
        if let account, !claim(account: account, for: customer, reported, access: access) {
            isRefused = isRefused || sent.isEmpty && restore != false && policy != .share
        }
        guard !isRefused else {
            self = before
            return nil
        }
        // The rest of the Apple account's history.
        let accounts = sent.isEmpty ? [account] : sent.map { purchases[$0]?.account }
        for original in originals where accounts.contains(purchases[original]?.account) {
            if sent.contains(original), !kept.contains(original) { continue }
            _ = claim(
                original, for: customer, restore == true ? policy : .keepOriginal, movesNamed: restore == true,
                access: access)
        }
        return kept
    }

    /// Returns whether the customer owns the purchase afterwards.
    private mutating func claim(
        _ original: String, for customer: String, _ policy: RestorePolicy, movesNamed: Bool, access: Set<String>
    ) -> Bool {
        let present = owners(original)
        if present.contains(customer) { return true }
        if let token = purchases[original]?.token, token != customer, !movesNamed { return false }
        if !present.isEmpty {
            if policy == .keepOriginal { return false }
            if policy == .transferIfInactive, access.contains(original) { return false }
        }
        purchases[original]?.claimed = policy == .share ? present.union([customer]) : [customer]
        return true
    }

    private mutating func claim(
        account: String, for customer: String, _ policy: RestorePolicy, access: Set<String>
    ) -> Bool {
        if let owner = accounts[account], owner != Self.erased, owner != customer {
            // An Apple account is not shared.
            if policy == .keepOriginal || policy == .share { return false }
            let owned = originals.filter { purchases[$0]?.account == account && owners($0).contains(owner) }
            if policy == .transferIfInactive, owned.contains(where: access.contains) { return false }
        }
        accounts[account] = customer
        return true
    }

    /// Everything moves from one customer to another; other owners keep a shared purchase.
    mutating func merge(_ from: String, into customer: String) {
        guard from != customer else { return }
        for original in originals where owners(original).contains(from) {
            let others = (purchases[original]?.claimed ?? []).subtracting([from])
            purchases[original]?.claimed = others.union([customer])
        }
        for (account, owner) in accounts where owner == from { accounts[account] = customer }
    }

    /// The customer becomes the only owner.
    mutating func transfer(_ original: String, to customer: String) {
        if all(original) != [customer] { purchases[original]?.claimed = [customer] }
    }

    /// The customer's purchases have no owner, unless others share them.
    mutating func erase(_ customer: String) {
        for original in originals where owners(original).contains(customer) {
            // A purchase that follows its Apple account has no claim of its own afterwards either.
            if purchases[original]?.claimed == nil, purchases[original]?.token == nil { continue }
            let others = all(original).subtracting([customer])
            purchases[original]?.claimed = others.isEmpty ? [Self.erased] : others
        }
        for (account, owner) in accounts where owner == customer { accounts[account] = Self.erased }
    }
}
