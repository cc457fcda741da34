import AppStoreModels
import AppStoreServer
import AppStoreTrust
import CounterfoilServer
import Entitlements
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite

@Suite struct `Ledger invariants` {
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `Any order, any batches and repeated deliveries give the same ledger`(_ seed: UInt64) async throws {
        let history = try await RandomStoreHistory.make(seed: seed)
        try #require(history.notifications.count > 30)
        try await Tool.inTemporaryFolder { folder in
            var random = SeededGenerator(seed: seed)
            let first = try await TestLedger(in: folder)
            let all = try await first.arrivals(of: history)
            try await first.commit(all, &random)
            let digest = try await first.sqlite.digest()
            for round in 0..<4 {
                let ledger = try await TestLedger(in: folder)
                // The arrivals name the app and environment by number, which is the same in every new ledger.
                try #require(ledger.appEnvironment.id == first.appEnvironment.id)
                var arrivals = all
                arrivals += arrivals.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
                if round > 0 { arrivals.shuffle(using: &random) } else { arrivals.reverse() }
                try await ledger.commit(arrivals, &random)
                #expect(try await ledger.sqlite.digest() == digest)
                let events = try await ledger.sqlite.pool.read {
                    try Int.fetchOne($0, sql: "SELECT count(*) FROM events WHERE notification IS NOT NULL")
                }
                #expect(events == Set(history.notifications.map(\.payload.notificationUUID)).count)
            }
        }
    }

    /// Facts that contradict each other in ways that the App Store does not sign: different contents with the same
    /// date, changing accounts, one UUID for two texts.
    @Test(arguments: 0..<60 as Range<UInt64>)
    func `Contradictory facts are resolved the same way in any order`(_ seed: UInt64) async throws {
        try await Tool.inTemporaryFolder { folder in
            var random = SeededGenerator(seed: seed)
            let first = try await TestLedger(in: folder)
            let contradictions = try Contradictions(&random)
            try await first.commit(contradictions.arrivals(in: first), &random)
            let digest = try await first.sqlite.digest()
            for _ in 0..<4 {
                let ledger = try await TestLedger(in: folder)
                var arrivals = contradictions.arrivals(in: ledger)
                arrivals += arrivals.filter { _ in Bool.random(using: &random) }
                arrivals.shuffle(using: &random)
                try await ledger.commit(arrivals, &random)
                #expect(try await ledger.sqlite.digest() == digest)
            }
        }
    }

    @Test func `A rebuild includes a second text under a known UUID, even if the first failed or is pending`()
        async throws
    {
        let history = try await RandomStoreHistory.shared.value
        try await Tool.inTemporaryFolder { folder in
            for failing in [true, false] {
                let ledger = try await TestLedger(in: folder)
                let found = try await ledger.arrivals(of: history).compactMap {
                    arrival -> (received: ReceivedNotification, processed: ProcessedNotification)? in
                    guard case .notification(let received, let processed) = arrival else { return nil }
                    return processed.transaction == nil ? nil : (received, processed)
                }
                try #require(found.count > 1)
                var (first, processed) = (found[0].received, found[0].processed)
                first.text = found[1].received.text
                let insertions = try await ledger.sqlite.commit(
                    received: [first, found[0].received], processed: [])
                #expect(insertions == [.stored(1), .stored(-1)])
                processed.id = -1
                _ = try await ledger.sqlite.commit(received: [], processed: [processed])
                if failing {
                    try await ledger.sqlite.fail(1, code: "no", message: "the signature is invalid", at: 0)
                }
                let report = try await LedgerRebuild(ledger.sqlite, verifier: history.verifier).run(replacing: true)
                #expect(report.isIdentical && report.notifications == 1 && report.facts > 1, "\(report)")
            }
        }
    }

    /// Apps send the same receipt again and again, and the App Store's histories contain the same transactions.
    @Test func `A fact that changes nothing is not written`() async throws {
        let history = try await RandomStoreHistory.shared.value
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            let (appEnvironment, now) = (ledger.appEnvironment, World.start)
            let signed = history.transactions.map { SignedFact($0, in: appEnvironment, at: now, origin: .asked) }
            try #require(signed.count > 3)
            let changed = try await ledger.sqlite.commit(signed)
            #expect(changed > 0)
            // A receipt that is newer than the signed transaction does not replace it.
            let receipts = try history.transactions.map { transaction in
                var fact = TransactionFact(transaction.payload)
                fact.signedDate += 86_400
                return try SignedFact(receipt: fact, in: appEnvironment, at: now, origin: .app)
            }
            let before = try await ledger.sqlite.pool.write { $0.totalChangesCount }
            for facts in [signed, receipts, signed + receipts] {
                let changed = try await ledger.sqlite.commit(facts)
                #expect(changed == 0)
            }
            let after = try await ledger.sqlite.pool.write { $0.totalChangesCount }
            #expect(after == before)
        }
    }

    @Test func `The digest depends on every fact, text and claim, but not on the time of receipt`() async throws {
        let history = try await RandomStoreHistory.shared.value
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            var random = SeededGenerator(seed: 1)
            try await ledger.commit(try await ledger.arrivals(of: history), &random)
            var digest = try await ledger.sqlite.digest()
            for change in [LineageChanges.expireEarly, LineageChanges.loseSource, LineageChanges.loseMention] {
                try await ledger.sqlite.pool.write { try LineageChanges.make($0, change) }
                let changed = try await ledger.sqlite.digest()
                #expect(changed != digest)
                digest = changed
            }
            for change in [
                "UPDATE notifications SET text = (SELECT text FROM notifications ORDER BY id DESC) WHERE id = 1",
                "UPDATE lineages SET token = x'00112233445566778899aabbccddeeff'",
                "UPDATE lineages SET app_transaction_id = 'another'",
                "INSERT INTO claims VALUES (1, '1', 'anna', 0)",
                "INSERT INTO account_claims VALUES (1, '1', 'anna', 0)",
                "INSERT INTO claim_events VALUES (1, 0, '1', 0, 1, 'anna')",
                "UPDATE claim_events SET instant = 1",
            ] {
                try await ledger.sqlite.pool.write { db in
                    try db.execute(sql: change)
                    #expect(db.changesCount > 0, "\(change)")
                }
                let changed = try await ledger.sqlite.digest()
                #expect(changed != digest, "\(change)")
                digest = changed
            }
            try await ledger.sqlite.pool.write { try $0.execute(sql: "UPDATE notifications SET received_at = 7") }
            #expect(try await ledger.sqlite.digest() == digest)
        }
    }
}

/// Facts about two purchases that contradict each other in as many fields as possible.
private struct Contradictions {
    struct Version {
        var uuid: String?
        var text: String
        var signedDate: Date
        var transaction: TransactionFact?
        var renewal: RenewalFact?
    }

    var versions: [Version] = []

    init(_ random: inout SeededGenerator) throws {
        for number in 0..<24 {
            let signed = World.start + Double(Int.random(in: 0..<2, using: &random))
            var version = Version(text: "text \(number)", signedDate: signed)
            let original = "\(Int.random(in: 1...2, using: &random))"
            let kind = Int.random(in: 0..<6, using: &random)
            if kind > 1 { version.transaction = Self.transaction(original, signed, &random) }
            if kind < 2 || kind == 5 { version.renewal = Self.renewal(original, signed, &random) }
            if Bool.random(using: &random) {
                version.uuid = "00000000-0000-4000-8000-00000000000\(Int.random(in: 0..<9, using: &random))"
            } else if version.transaction != nil {
                version.renewal = nil
            }
            versions.append(version)
        }
    }

    private static func transaction(
        _ original: String, _ signed: Date, _ random: inout SeededGenerator
    ) -> TransactionFact {
        let id = "\(original)\(Int.random(in: 0..<2, using: &random))"
        return TransactionFact(
            transactionID: id, originalTransactionID: original, productID: "gold", type: .nonConsumable,
            purchaseDate: World.start + Double(Int.random(in: 0..<2, using: &random)), expiresDate: nil,
            subscriptionGroupIdentifier: nil, signedDate: signed, revocationDate: nil, revocationReason: nil,
            revocationType: nil, isUpgraded: false, ownership: .purchased, offerType: nil, offerIdentifier: nil,
            offerDiscountType: nil, quantity: 1, reason: nil,
            appAccountToken: [
                nil, UUID(uuidString: "00000000-0000-4000-8000-00000000000a"),
                UUID(uuidString: "00000000-0000-4000-8000-00000000000b"),
            ].randomElement(using: &random) ?? nil,
            appTransactionID: [nil, "x", "y"].randomElement(using: &random) ?? nil)
    }

    private static func renewal(_ original: String, _ signed: Date, _ random: inout SeededGenerator) -> RenewalFact {
        RenewalFact(
            originalTransactionID: original, productID: "gold", autoRenewProductID: "gold",
            willRenew: Bool.random(using: &random), expirationIntent: nil, isInBillingRetry: false,
            gracePeriodExpiresDate: nil, priceIncreaseStatus: nil, offerType: nil, offerIdentifier: nil,
            eligibleWinBackOfferIDs: [], renewalDate: nil, signedDate: signed)
    }

    func arrivals(in ledger: TestLedger) -> [TestLedger.Arrival] {
        versions.compactMap { version in
            let text = version.text
            if let uuid = version.uuid {
                let date = version.signedDate.milliseconds
                return .notification(
                    ReceivedNotification(
                        scope: ledger.appEnvironment.id, uuid: uuid, type: "TEST", signedDate: date, receivedAt: 0,
                        origin: .delivered, text: text),
                    ProcessedNotification(
                        id: 0, scope: ledger.appEnvironment.id, uuid: uuid, type: .test, signedDate: date,
                        transaction: version.transaction, renewal: version.renewal, processedAt: 0))
            }
            let fact =
                version.transaction.map(SignedFact.Fact.transaction) ?? version.renewal.map(SignedFact.Fact.renewal)
            return fact.map {
                .signedFact(
                    SignedFact(scope: ledger.appEnvironment.id, fact: $0, origin: .app, receivedAt: 0, text: text))
            }
        }
    }
}
