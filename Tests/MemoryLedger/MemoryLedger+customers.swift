internal import AppStoreModels
package import Entitlements
internal import Foundation
package import Ledger

extension MemoryLedger: CustomerStorage {
    package func lineages(of customer: String, in scope: Int64) async throws -> [Lineage] {
        try read { try $0.lineages(of: customer, in: scope) }
    }

    package func lineage(_ originalTransactionID: String, in scope: Int64) async throws -> Lineage? {
        try read { try $0.readable(originalTransactionID, in: scope)?.lineage }
    }

    package func successors(of originalTransactionID: String, in scope: Int64) async throws -> [TransactionFact] {
        try read { $0.successors(of: originalTransactionID, in: scope) }
    }

    package func notifications(
        about originalTransactionID: String, in scope: Int64, limit: Int
    ) async throws -> [StoredNotification] {
        try read { state in
            let mentions = try state.readable(originalTransactionID, in: scope)?.mentions ?? []
            let numbers = mentions.prefix(limit).map(\.notification)
            return (numbers + state.codesOfOtherTexts(ofAny: Set(numbers), limit: limit)).compactMap {
                state.storedNotification($0)
            }
            .sorted { $0.isSigned(before: $1) }
        }
    }

    package func owners(of originalTransactionID: String, in scope: Int64) async throws -> [String] {
        try read { $0.owners(of: originalTransactionID, in: scope) }
    }

    package func isOwnerErased(of originalTransactionID: String, in scope: Int64) async throws -> Bool {
        try read { state in
            let owners = state.ownersWithErased(of: originalTransactionID, in: scope)
            return !owners.isEmpty && owners.allSatisfy { Erasure.isStandIn($0) }
        }
    }

    package func customer(ofAccount appTransactionID: String, in scope: Int64) async throws -> String? {
        try read { $0.ownership(ofAccount: appTransactionID, in: scope).customer }
    }

    package func originalTransactionID(of transactionID: String, in scope: Int64) async throws -> String? {
        try read { state in
            let key = Key(scope, transactionID)
            return state.records[key] != nil ? transactionID : state.originals[key]
        }
    }

    package func lineages(ofAccounts appTransactionIDs: [String], in scope: Int64) async throws -> [Lineage] {
        try read { state in
            let accounts = Set(appTransactionIDs.map { ExactText($0) }).sorted()
            return try accounts.flatMap { account in
                try state.lineages(in: scope).filter { $0.appTransactionID?.isExactly(account.text) ?? false }
                    .compactMap { try state.readable($0.originalTransactionID, in: scope)?.lineage }
            }
        }
    }

    package func accounts(of customer: String, in scope: Int64) async throws -> [String] {
        try read { $0.accounts(of: customer, in: scope) }
    }

    package func productGroups(in scope: Int64) async throws -> [String: String] {
        try read { state in
            state.productGroups.filter { $0.key.scope == scope }.reduce(into: [:]) {
                $0[$1.key.name.text] = $1.value
            }
        }
    }
}

extension MemoryLedger.State {
    /// The lineages of a scope, ordered by original transaction identifier.
    func lineages(in scope: Int64) -> [Lineage] {
        records.filter { $0.key.scope == scope }.sorted { $0.key < $1.key }.map(\.value.lineage)
    }

    func lineages(of customer: String, in scope: Int64) throws -> [Lineage] {
        try lineages(in: scope).filter { owners(of: $0.originalTransactionID, in: scope).containsExactly(customer) }
            .compactMap { try readable($0.originalTransactionID, in: scope)?.lineage }
    }

    /// Returns the record of a purchase, or nil if there is none.
    ///
    /// - Throws: ``StorageError`` when the record is damaged.
    func readable(_ original: String, in scope: Int64) throws -> LineageRecord? {
        guard !isDamaged(original, in: scope) else {
            throw StorageError(.damaged, "the record of \(original) is damaged")
        }
        return records[.init(scope, original)]
    }

    func successors(of original: String, in scope: Int64) -> [TransactionFact] {
        lineages(in: scope).filter { !isDamaged($0.originalTransactionID, in: scope) }.successors(of: original)
    }

    func isDamaged(_ original: String, in scope: Int64) -> Bool { damagedRecords.contains(.init(scope, original)) }

    func history(_ subject: MemoryLedger.Subject) -> ClaimHistory { claims[subject] ?? ClaimHistory([]) }

    func history(ofAccount account: String, in scope: Int64) -> ClaimHistory {
        history(.init(isAccount: true, key: .init(scope, account)))
    }

    func history(ofPurchase original: String, in scope: Int64) -> ClaimHistory {
        history(.init(isAccount: false, key: .init(scope, original)))
    }

    func ownership(of original: String, in scope: Int64) -> Ownership {
        let lineage = records[.init(scope, original)]?.lineage
        return Ownership(
            claims: history(ofPurchase: original, in: scope), named: lineage?.appAccountToken?.text,
            account: lineage?.appTransactionID.map { history(ofAccount: $0, in: scope) } ?? ClaimHistory([]),
            madeAt: lineage?.madeAt ?? .min)
    }

    func ownership(ofAccount account: String, in scope: Int64) -> AccountOwnership {
        let bought = lineages(in: scope).filter { $0.appTransactionID?.isExactly(account) ?? false }
        return AccountOwnership(
            claims: history(ofAccount: account, in: scope),
            purchases: bought.map { ownership(of: $0.originalTransactionID, in: scope) })
    }

    /// The current owners of a purchase, without erased customers.
    func owners(of original: String, in scope: Int64) -> [String] {
        Erasure.withoutStandIns(ownersWithErased(of: original, in: scope))
    }

    /// The owners of a purchase by the present claims, without erased customers.
    func owners(of lineage: Lineage, in scope: Int64) -> [String] {
        Erasure.withoutStandIns(ownersWithErased(of: lineage, in: scope))
    }

    fileprivate func ownersWithErased(of original: String, in scope: Int64) -> [String] {
        let unknown = Lineage(originalTransactionID: original, transactions: [])
        return ownersWithErased(of: records[.init(scope, original)]?.lineage ?? unknown, in: scope)
    }

    private func ownersWithErased(of lineage: Lineage, in scope: Int64) -> [String] {
        let claimed = history(ofPurchase: lineage.originalTransactionID, in: scope).owners
        return Ownership.owners(claimed: claimed.map(\.customer), named: lineage.appAccountToken?.text) {
            let account = lineage.appTransactionID.flatMap { history(ofAccount: $0, in: scope).accountOwner }
            return account.map { [$0.customer] } ?? []
        }
    }

    func accounts(of customer: String, in scope: Int64) -> [String] {
        claims.filter { subject, history in
            subject.isAccount && subject.key.scope == scope
                && history.accountOwner?.customer.isExactly(customer) ?? false
        }.keys.map(\.key).sorted().map(\.name.text)
    }

    /// Returns every purchase that the customer owns or has owned.
    func purchases(ownedBy customer: String, in scope: Int64) throws -> [(record: LineageRecord, ownership: Ownership)]
    {
        try purchases(everNaming: customer, in: scope).filter { !$0.ownership.spans(of: customer).isEmpty }
    }

    /// Returns every purchase whose claims, token, events or inquiries name or named the customer, or whose Apple
    /// account was ever claimed for the customer.
    func purchases(everNaming customer: String, in scope: Int64) throws -> [(
        record: LineageRecord, ownership: Ownership
    )] {
        let claimed = claims.keys.filter { !$0.isAccount && $0.key.scope == scope }.map(\.key)
        let all = Set(claimed + records.keys.filter { $0.scope == scope }).sorted()
        return try all.compactMap { key in
            let original = key.name.text
            let ownership = ownership(of: original, in: scope)
            let names = (ownership.claims.events + ownership.account.events).map(\.customer)
            guard
                names.containsExactly(customer) || ownership.named?.isExactly(customer) ?? false
                    || isNamed(customer, about: original, in: scope)
            else { return nil }
            return (try readable(original, in: scope) ?? LineageRecord(original), ownership)
        }
    }

    /// Whether an event or inquiry about a purchase names the customer. The purchase may have been signed for another
    /// account since.
    private func isNamed(_ customer: String, about original: String, in scope: Int64) -> Bool {
        let isInEvent = events.contains { event in
            event.scope == scope && event.originalTransactionID?.isExactly(original) ?? false
                && (event.customer?.isExactly(customer) ?? false || event.formerOwners.containsExactly(customer))
        }
        return isInEvent
            || inquiries.contains { stored in
                stored.inquiry.scope == scope && stored.inquiry.originalTransactionID.isExactly(original)
                    && stored.inquiry.customer?.isExactly(customer) ?? false
            }
    }
}

extension LedgerEvent {
    /// The former owners in the data of an event of a claim.
    fileprivate var formerOwners: [String] {
        guard notification == nil, let data,
            let members = try? JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any]
        else { return [] }
        return members["from"] as? [String] ?? []
    }
}
