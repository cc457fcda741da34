internal import AppStoreModels
internal import Entitlements
internal import Foundation
internal import GRDB
package import Ledger

extension SQLiteStorage: EntitlementContextStorage {
    package func entitlementContext(of customer: String, in appEnvironment: AppEnvironment) async throws
        -> EntitlementContext
    {
        try readInline { try Self.entitlementContext(of: customer, in: appEnvironment, $0) }
    }

    package func snapshot(
        of customer: String, in appEnvironment: AppEnvironment
    ) async throws -> (lineages: [Lineage], context: EntitlementContext) {
        try readInline {
            (
                try Self.lineages(of: customer, in: appEnvironment.id, $0),
                try Self.entitlementContext(of: customer, in: appEnvironment, $0)
            )
        }
    }

    private static func entitlementContext(
        of customer: String, in appEnvironment: AppEnvironment, _ db: Database
    ) throws -> EntitlementContext {
        var found = EntitlementContext()
        let isTestData = appEnvironment.environment != .production
        try db.each(contextQuery, [.integer(appEnvironment.id), .text(customer)]) { row in
            switch row.number(0) {
            case 0: found.originalPurchases.append(OriginalPurchaseTable.fact(row, from: 1, isTestData: isTestData))
            case 1: found.grants.append(GrantTables.fact(row, from: 1))
            default: if let group = row.text(1) { found.groups.insert(group) }
            }
        }
        return found
    }

    /// The original purchases, grants and known groups of a customer; the first column is the kind of row.
    private static let contextQuery = """
        SELECT 0, subject, version, purchased_at, signed_date, NULL FROM account_claims CROSS JOIN original_purchases
            ON original_purchases.scope = account_claims.scope AND subject = app_transaction_id
            WHERE account_claims.scope = ?1 AND customer = ?2
        UNION ALL
        SELECT 1, grant_id, entitlement, created_at, ends_at, revoked_at FROM grants WHERE scope = ?1 AND customer = ?2
        UNION ALL
        SELECT 2, group_id, NULL, NULL, NULL, NULL FROM product_groups WHERE scope = ?1
        """

    /// Returns the timeline entries that are not about an in-app purchase.
    ///
    /// - Parameter owned: The purchases that the customer owns or ever owned.
    func otherEntries(
        of customer: String, owning owned: [OwnedRecord], in scope: Int64, _ db: Database
    ) throws -> [Entry] {
        var (grants, originalPurchases): (GrantTables.Found, OriginalPurchaseTable.Found) = (.init(), .init())
        var notifications: [AccountNotificationTable.Entry] = []
        try db.each(Self.happened, [.integer(scope), .text(customer)]) { row in
            switch row.number(0) {
            case 0: try grants.add(row, from: 1)
            case 3: notifications.append(AccountNotificationTable.entry(row, from: 1))
            default: try originalPurchases.add(row, in: scope, headers)
            }
        }
        // The customer of an account without a claim is the owner of its purchases.
        let unclaimed = owned.filter { $0.ownership.account.events.isEmpty }
            .compactMap { $0.record.lineage.appTransactionID.map { ExactText($0) } }
        notifications += try AccountNotificationTable.entries(about: Set(unclaimed), in: scope, db)
        let items =
            originalPurchases.owned(by: customer).compactMap { TimelineItem($0, for: customer) }
            + grants.all.flatMap { TimelineItem.items(of: $0.grant, hasExpiryEvent: $0.hasExpiryEvent) }
        return items.map { Entry($0) }
            + (try notifications.belonging(to: customer, in: scope, db).map { Entry($0.mention) })
    }

    /// The events of grants and Apple accounts, and the notifications about these; the first column is the kind of row.
    private static let happened = """
        SELECT 0, grant_id, kind, instant, content, due, NULL, NULL, NULL, NULL FROM (\(GrantTables.eventsOfCustomer))
        UNION ALL
        \(OriginalPurchaseTable.eventsOfCustomer)
        UNION ALL
        \(AccountNotificationTable.ofCustomer)
        """
}
