package import Ledger
internal import Entitlements
internal import Foundation
internal import GRDB

extension SQLiteStorage: CircumstanceStorage {
    package func circumstances(of customer: String, in scope: Scope) async throws -> CustomerCircumstances {
        try readAtOnce { try Self.circumstances(of: customer, in: scope, $0) }
    }

    package func present(
        of customer: String, in scope: Scope
    ) async throws -> (lineages: [Lineage], circumstances: CustomerCircumstances) {
        try readAtOnce {
            (
                try Self.lineages(of: customer, in: scope.id, $0),
                try Self.circumstances(of: customer, in: scope, $0)
            )
        }
    }

    private static func circumstances(
        of customer: String, in scope: Scope, _ db: Database
    ) throws -> CustomerCircumstances {
        var found = CustomerCircumstances()
        try db.each(circumstances, [.integer(scope.id), .text(customer)]) { row in
            switch row.number(0) {
            case 0: found.originalPurchases.append(OriginalPurchaseTable.fact(row, from: 1, in: scope))
            case 1: found.grants.append(GrantTables.fact(row, from: 1))
            default: if let group = row.text(1) { found.groups.insert(group) }
            }
        }
        return found
    }

    /// All that concerns a customer, each row with what it is of.
    private static let circumstances = """
        SELECT 0, subject, version, purchased_at, signed_date, NULL FROM account_claims CROSS JOIN original_purchases
            ON original_purchases.scope = account_claims.scope AND subject = app_transaction_id
            WHERE account_claims.scope = ?1 AND customer = ?2
        UNION ALL
        SELECT 1, grant_id, entitlement, created_at, ends_at, revoked_at FROM grants WHERE scope = ?1 AND customer = ?2
        UNION ALL
        SELECT 2, group_id, NULL, NULL, NULL, NULL FROM product_groups WHERE scope = ?1
        """

    /// What there is in a timeline that is about no purchase in the app.
    func circumstanceEntries(of customer: String, in scope: Int64, _ db: Database) throws -> [Entry] {
        var (grants, accounts): (GrantTables.Found, [String]) = (.init(), [])
        try db.each(Self.happened, [.integer(scope), .text(customer)]) { row in
            if row.number(2) != nil {
                try grants.add(row)
            } else if let account = row.text(0) {
                accounts.append(account)
            }
        }
        return try originalPurchaseEntries(of: customer, accounts, in: scope, db) + Self.entries(of: grants)
    }

    /// What happened to grants, and accounts that ever were claimed for the customer, which have no kind.
    private static let happened = """
        \(GrantTables.eventsOfCustomer)
        UNION ALL
        SELECT DISTINCT subject, NULL, NULL, NULL, NULL FROM claim_events INDEXED BY claim_events_by_customer
        WHERE scope = ?1 AND customer = ?2 AND is_account = 1
        """

    private static func entries(of grants: GrantTables.Found) -> [Entry] {
        grants.all.flatMap { grant, isExpiryEmitted in
            func entry(_ kind: TimelineItem.GrantChange.Kind, _ instant: Milliseconds) -> Entry {
                Entry(
                    place: TimelinePlace(date: instant, number: 0, name: "\(grant.id) \(kind.rawValue)"), original: "",
                    kind: .grant(.init(kind: kind, grant: grant)))
            }
            return [entry(.created, grant.createdAt)] + (grant.revocation.map { [entry(.revoked, $0.instant)] } ?? [])
                + (isExpiryEmitted ? grant.until.map { [entry(.expired, $0)] } ?? [] : [])
        }
    }

    private func originalPurchaseEntries(
        of customer: String, _ accounts: [String], in scope: Int64, _ db: Database
    ) throws -> [Entry] {
        try OriginalPurchaseTable.held(by: customer, among: accounts, in: scope, headers, db).compactMap { held in
            // Nobody knows when in time what has no date belongs.
            guard let date = held.fact.purchaseDate, held.ownership.owners.containsName(customer) else { return nil }
            return Entry(
                place: TimelinePlace(date: date.milliseconds, number: 0, name: held.subject), original: "",
                kind: .originalPurchase(held.fact))
        }
    }
}
