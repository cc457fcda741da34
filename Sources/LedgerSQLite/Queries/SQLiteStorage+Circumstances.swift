package import Ledger
internal import Entitlements
internal import Foundation
internal import GRDB

extension SQLiteStorage: CircumstanceStorage {
    package func circumstances(of customer: String, in scope: Scope) async throws -> CustomerCircumstances {
        try readAtOnce { db in
            var circumstances = CustomerCircumstances()
            circumstances.originalPurchases = try OriginalPurchaseTable.present(of: customer, in: scope, db)
            circumstances.grants = try GrantTables.facts(of: customer, in: scope.id, db)
            circumstances.groups = Set(try ProductGroupTable.groups(in: scope.id, db).values)
            return circumstances
        }
    }

    /// What there is in a timeline that is about no purchase in the app.
    func circumstanceEntries(of customer: String, in scope: Int64, _ db: Database) throws -> [Entry] {
        try originalPurchaseEntries(of: customer, in: scope, db) + grantEntries(of: customer, in: scope, db)
    }

    private func grantEntries(of customer: String, in scope: Int64, _ db: Database) throws -> [Entry] {
        try GrantTables.grants(of: customer, in: scope, db).flatMap { grant, isExpiryTold in
            func entry(_ kind: TimelineItem.GrantChange.Kind, _ instant: Milliseconds) -> Entry {
                Entry(
                    place: TimelinePlace(date: instant, number: 0, name: "\(grant.id) \(kind.rawValue)"), original: "",
                    kind: .grant(.init(kind: kind, grant: grant)))
            }
            return [entry(.created, grant.createdAt)] + (grant.revocation.map { [entry(.revoked, $0.instant)] } ?? [])
                + (isExpiryTold ? grant.until.map { [entry(.expired, $0)] } ?? [] : [])
        }
    }

    private func originalPurchaseEntries(of customer: String, in scope: Int64, _ db: Database) throws -> [Entry] {
        try OriginalPurchaseTable.held(by: customer, in: scope, headers, db).compactMap { held in
            // Nobody knows when in time what has no date belongs.
            guard let date = held.fact.purchaseDate, held.ownership.owners.containsName(customer) else { return nil }
            return Entry(
                place: TimelinePlace(date: date.milliseconds, number: 0, name: held.subject), original: "",
                kind: .originalPurchase(held.fact))
        }
    }
}
