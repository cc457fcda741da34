import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite

@Suite struct `A packed purchase` {
    private static let date = Date(timeIntervalSince1970: 1_780_000_000)
    private static let words = [
        "com.example.gold", "", "é", "e\u{301}", "\u{212B}", "A\u{30A}", "Consumable", "\u{212A}", "REVO\u{212A}E",
        "Auto-Renewable Subscription", "🎟️", String(repeating: "x", count: 300),
    ]

    @Test func `Unpacking a packed purchase gives the same record`() async throws {
        var random = SeededGenerator(seed: 7)
        for await _ in Yielding(0..<150) {
            let record = try Self.record(&random)
            let bytes = PackedLineage.pack(record)
            #expect(Self.unpack(bytes, record) == record)
            // Strings that Swift calls equal may have different bytes.
            #expect(Self.unpack(bytes, record).map { "\($0)".utf8.elementsEqual("\(record)".utf8) } == true)
            let facts = bytes.withUnsafeBytes { PackedLineage.lineage(record.lineage.originalTransactionID, $0) }
            #expect(facts?.transactions == record.lineage.transactions && facts?.renewal == record.lineage.renewal)
        }
    }

    @Test func `The packed bytes do not depend on the order in which facts were added`() async throws {
        var random = SeededGenerator(seed: 8)
        for await _ in Yielding(0..<30) {
            let facts = (0..<8).map { _ in Self.transaction(&random) }
            let packed = try (0..<6).map { _ in
                var record = LineageRecord("1")
                for index in facts.indices.shuffled(using: &random) {
                    // The text with the higher number takes precedence.
                    _ = try record.add(facts[index], .init(id: Int64(index) + 1) { $0 < index + 1 })
                    _ = record.addMention(of: Int64(index) + 1, signedDate: 0)
                }
                return PackedLineage.pack(record)
            }
            #expect(Set(packed).count == 1)
        }
    }

    @Test func `A packed purchase needs less than 50 bytes for each renewal`() throws {
        var record = LineageRecord("2000000000000000")
        for number in 0..<100 {
            let date = Self.date + Double(number) * 2_592_000
            let fact = TransactionFact(
                transactionID: String(2_000_000_000_000_000 + number), originalTransactionID: "2000000000000000",
                productID: "com.example.premium.monthly", type: .autoRenewableSubscription, purchaseDate: date,
                expiresDate: date + 2_592_000, subscriptionGroupIdentifier: "21754321", signedDate: date,
                reason: .renewal, appAccountToken: UUID(), appTransactionID: "704500000000000000")
            var same = fact
            same.appAccountToken = record.lineage.appAccountToken ?? fact.appAccountToken
            _ = try record.add(same, .init(id: Int64(number) + 1) { _ in true })
        }
        #expect(PackedLineage.pack(record).count < 100 * 50)
    }

    @Test func `A truncated packed purchase is refused, and a damaged one too unless it is another record`()
        async throws
    {
        var random = SeededGenerator(seed: 9)
        var (refused, read) = (0, 0)
        for _ in 0..<10 {
            let record = try Self.record(&random)
            let good = PackedLineage.pack(record)
            for await count in Yielding(0..<good.count) { #expect(Self.unpack(good.prefix(count), record) == nil) }
            for await _ in Yielding(0..<200) {
                var bytes = [UInt8](good)
                for _ in 0..<3 {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
                }
                guard let other = Self.unpack(Data(bytes), record) else {
                    refused += 1
                    continue
                }
                read += 1
                #expect(Self.unpack(PackedLineage.pack(other), other) == other)
            }
        }
        #expect(refused > 0 && read > 0)
        for await count in Yielding(0..<64) {
            for _ in 0..<20 {
                var bytes: [UInt8] = [1]
                for _ in 0..<count { bytes.append(.random(in: 0...255, using: &random)) }
                _ = bytes.withUnsafeBytes { PackedLineage.lineage("1", $0) }
            }
        }
    }

    private static func unpack(_ bytes: Data, _ record: LineageRecord) -> LineageRecord? {
        let lineage = record.lineage
        return bytes.withUnsafeBytes {
            PackedLineage.record(
                lineage.originalTransactionID, token: lineage.appAccountToken, account: lineage.appTransactionID, $0)
        }
    }

    private static func record(_ random: inout SeededGenerator) throws -> LineageRecord {
        var record = LineageRecord("1")
        for _ in 0..<Int.random(in: 0..<12, using: &random) {
            let source = Int64.random(in: .min...Int64.max, using: &random)
            _ = try record.add(transaction(&random), .init(id: source) { _ in false })
            _ = record.addMention(
                of: .random(in: 0...Int64.max, using: &random), signedDate: .random(in: -9...9, using: &random))
        }
        if Bool.random(using: &random) { _ = try record.add(renewal(&random), .init(id: 3) { _ in false }) }
        return record
    }

    private static func transaction(_ random: inout SeededGenerator) -> TransactionFact {
        let ids = ["10", "2", "é", "e\u{301}", "", "2000000000000001", "2000000000000002"]
        return TransactionFact(
            transactionID: ids.randomElement(using: &random) ?? "", originalTransactionID: "1",
            productID: word(&random),
            type: .init(rawValue: word(&random)), purchaseDate: instant(&random),
            expiresDate: maybe(&random, instant), subscriptionGroupIdentifier: maybe(&random, word),
            signedDate: instant(&random), revocationDate: maybe(&random, instant),
            revocationReason: maybe(&random, number).map { .init(rawValue: $0) },
            revocationType: maybe(&random, word).map { .init(rawValue: $0) },
            isUpgraded: Bool.random(using: &random), ownership: .init(rawValue: word(&random)),
            offerType: maybe(&random, number).map { .init(rawValue: $0) }, offerIdentifier: maybe(&random, word),
            offerDiscountType: maybe(&random, word).map { .init(rawValue: $0) }, quantity: number(&random),
            reason: maybe(&random, word).map { .init(rawValue: $0) },
            appAccountToken: maybe(&random) { UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, byte(&$0))) },
            appTransactionID: maybe(&random, word), previousOriginalTransactionID: maybe(&random, word),
            price: maybe(&random, instant)?.milliseconds, currency: maybe(&random, word),
            revocationPercentage: maybe(&random, number))
    }

    private static func renewal(_ random: inout SeededGenerator) -> RenewalFact {
        RenewalFact(
            originalTransactionID: "1", productID: word(&random), autoRenewProductID: word(&random),
            willRenew: Bool.random(using: &random),
            expirationIntent: maybe(&random, number).map { .init(rawValue: $0) },
            isInBillingRetry: Bool.random(using: &random), gracePeriodExpiresDate: maybe(&random, instant),
            priceIncreaseStatus: maybe(&random, number).map { .init(rawValue: $0) },
            offerType: maybe(&random, number).map { .init(rawValue: $0) }, offerIdentifier: maybe(&random, word),
            eligibleWinBackOfferIDs: (0..<Int.random(in: 0..<3, using: &random)).map { _ in word(&random) },
            renewalDate: maybe(&random, instant), signedDate: instant(&random))
    }

    private static func maybe<Value>(
        _ random: inout SeededGenerator, _ value: (inout SeededGenerator) -> Value
    ) -> Value? { Bool.random(using: &random) ? value(&random) : nil }

    private static func word(_ random: inout SeededGenerator) -> String { words.randomElement(using: &random) ?? "" }
    private static func byte(_ random: inout SeededGenerator) -> UInt8 { .random(in: 0...2, using: &random) }

    private static func number(_ random: inout SeededGenerator) -> Int32 {
        [0, 1, 2, 7, -1, .max, .min].randomElement(using: &random) ?? 0
    }

    private static func instant(_ random: inout SeededGenerator) -> Date {
        Date(milliseconds: [1_780_000_000_000, 1_780_000_000_001, 0, -1].randomElement(using: &random) ?? 1)
    }
}
