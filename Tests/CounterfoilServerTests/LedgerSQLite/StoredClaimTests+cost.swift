import GRDB
import Testing

@testable import Ledger
@testable import LedgerSQLite

// What grows with the purchases of a customer. Reading a row takes a few steps of SQLite's virtual machine.
extension `Stored claims` {
    @Test func `The cost of finding purchases of the same Apple account is linear in their number`() async throws {
        try await Self.withLedger { ledger, _ in
            let count = 400
            for number in 1...count { try await Self.buy("\(number)", account: "a", in: ledger) }
            let scope = ledger.appEnvironment.id
            let steps = try await ledger.sqlite.pool.read { db in
                try Steps.count(db) {
                    let found = try SQLiteStorage.identifiersOfSameAccountPurchases(
                        of: (1...count).map { "\($0)" }, in: scope, db)
                    #expect(found.count == count)
                }
            }
            #expect(steps < 100 * count, "\(steps)")
        }
    }

    @Test func `The owner of an Apple account is read once for all notifications about it`() async throws {
        try await Self.withLedger { ledger, _ in
            for number in 1...200 { try await Self.buy("\(number)", account: "a", in: ledger) }
            try await Self.claim("anna", [], at: 5, account: "a", in: ledger)
            try await Self.claim("ben", [], at: 9, account: "a", in: ledger)
            let scope = ledger.appEnvironment.id
            func steps(finding count: Int, in dates: ClosedRange<Milliseconds>) async throws -> Int {
                let entries = dates.map { date in
                    AccountNotificationTable.Entry(
                        account: "a", mention: LineageRecord.Mention(notification: date, signedDate: date))
                }
                return try await ledger.sqlite.pool.read { db in
                    try Steps.count(db) {
                        let found = try entries.belonging(to: "anna", in: scope, db)
                        #expect(found.count == count)
                    }
                }
            }
            let one = try await steps(finding: 1, in: 5...5)
            let all = try await steps(finding: 8, in: 1...20)
            #expect(one > 200 && all < 2 * one, "\(one), \(all)")
        }
    }

    @Test func `An erasure looks for deliveries about each purchase only at endpoints that have pending ones`()
        async throws
    {
        try await Self.withLedger { ledger, _ in
            let (storage, scope) = (ledger.sqlite, ledger.appEnvironment.id)
            for number in 1...50 {
                let definition = WebhookDefinition(name: "\(number)", url: "https://example.com", secrets: [])
                _ = try #require(try await storage.addWebhook(definition, replacesConfigured: false, at: 0))
            }
            let originals = (1...200).map { "\($0)" }
            let steps = try await storage.pool.write { db in
                try Steps.count(db) {
                    try DeliveryLanes.rename("anna", to: "nobody", about: originals, in: scope, until: .max, db)
                }
            }
            #expect(steps < 5000, "\(steps)")
        }
    }
}
