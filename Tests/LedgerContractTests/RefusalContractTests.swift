import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import TestSupport
import Testing

@Suite struct `The contract of refused deliveries` {
    @Test(arguments: Engine.allCases)
    func `Refusals are counted by code within a period and among the last ones`(_ engine: Engine) async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try engine.open(in: folder)
            #expect(try await ledger.refusalCounts(from: 0, to: .max, amongLast: 10) == [:])
            try await ledger.commit(
                ["old", "bad", "bad", "new", "bad"].enumerated().map { index, code in
                    Refusal(receivedAt: Int64(index), code: code, message: "no", sender: "a", body: Data())
                })
            #expect(try await ledger.refusalCounts(from: 0, to: 9, amongLast: 10) == ["old": 1, "bad": 3, "new": 1])
            #expect(try await ledger.refusalCounts(from: 1, to: 4, amongLast: 10) == ["bad": 2, "new": 1])
            #expect(try await ledger.refusalCounts(from: 0, to: 9, amongLast: 2) == ["bad": 1, "new": 1])
        }
    }

    /// Detects engines that subtract from the last row identifier, although rows were deleted.
    @Test(arguments: Engine.allCases)
    func `Dropped refusals are not counted among the last ones`(_ engine: Engine) async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try engine.open(in: folder)
            func refuse(_ code: String, _ sender: String, bytes: Int) async throws {
                let body = Data(count: bytes)
                try await ledger.commit([
                    Refusal(receivedAt: 5, code: code, message: "no", sender: sender, body: body)
                ])
            }
            try await refuse("first", "a", bytes: 0)
            try await refuse("large", "b", bytes: 3000)
            try await refuse("last", "c", bytes: 0)
            for last in ["last", "large"] {
                if last == "large" { try await refuse(last, "b", bytes: 3000) }
                try await ledger.dropRefusals(beyond: RefusalStorageLimit(count: 9, bytes: 1000))
                let remaining = try await ledger.refusals(before: .max, limit: 9).map(\.refusal.code)
                #expect(remaining == ["last", "first"])
                #expect(try await ledger.refusalCounts(from: 0, to: 9, amongLast: 1) == ["last": 1])
                #expect(try await ledger.refusalCounts(from: 0, to: 9, amongLast: 2) == ["first": 1, "last": 1])
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `Dropping refusals beyond the limit removes the oldest of the sender with the most`(_ engine: Engine)
        async throws
    {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try engine.open(in: folder)
            try await ledger.commit(
                ["a", "a", "b", "a", "a"].enumerated().map { index, sender in
                    Refusal(
                        receivedAt: Int64(index), code: "no", message: "no", sender: sender, body: Data([1, 2, 3]))
                })
            try await ledger.dropRefusals(beyond: RefusalStorageLimit(count: 3, bytes: 1 << 20))
            let remaining = try await ledger.refusals(before: .max, limit: 9)
            #expect(remaining.map(\.refusal.receivedAt) == [4, 3, 2])
            try await ledger.dropRefusals(beyond: RefusalStorageLimit(count: 9, bytes: 2 * (Refusal.overhead + 5)))
            #expect(try await ledger.refusals(before: .max, limit: 9).map(\.refusal.receivedAt) == [4, 2])
        }
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// Sender and size in KiB of the refusals 1, 2, 3 …
        var sizes: [(String, Int)]
        var count = 100
        var kiB = 1000
        /// The refusals that are dropped.
        var dropped: Set<Int>
    }

    static let cases = [
        Case(testDescription: "within the limit", sizes: [("a", 1), ("a", 1)], count: 2, kiB: 2, dropped: []),
        Case(
            testDescription: "a single client loses its oldest refusal", sizes: [("a", 1), ("a", 1), ("a", 1)],
            count: 2,
            dropped: [1]),
        Case(
            testDescription: "the client with more refusals loses", sizes: [("a", 1), ("b", 1), ("a", 1), ("a", 1)],
            count: 2,
            dropped: [1, 3]),
        Case(
            testDescription: "with one refusal each, the oldest is removed", sizes: [("a", 1), ("b", 1), ("c", 1)],
            count: 2,
            dropped: [1]),
        Case(
            testDescription: "the client with more bytes loses", sizes: [("a", 10), ("b", 1), ("b", 1)], kiB: 5,
            dropped: [1]),
        Case(
            testDescription: "the client with more bytes loses even its newest refusals",
            sizes: [("a", 1), ("b", 1), ("b", 10)], kiB: 5, dropped: [2, 3]),
        Case(
            testDescription: "bytes are counted from each client's newest refusal",
            sizes: [("a", 3), ("a", 2), ("b", 3)], kiB: 5,
            dropped: [1]),
        Case(
            testDescription: "senders that differ after U+0000 are different clients",
            sizes: [("a\u{0}b", 1), ("a\u{0}c", 1), ("a\u{0}c", 1)], count: 2,
            dropped: [2]),
        Case(
            testDescription: "either limit applies", sizes: [("a", 1), ("b", 9), ("c", 1)], count: 2, kiB: 5,
            dropped: [1, 2]),
    ]

    @Test(arguments: Engine.allCases, cases)
    func `Refusals beyond the limit are dropped from the clients with the most, the oldest first`(
        _ engine: Engine, _ testCase: Case
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try engine.open(in: folder)
            try await ledger.commit(
                testCase.sizes.enumerated().map { index, share in
                    Refusal(
                        receivedAt: Int64(index + 1), code: "no", message: "", sender: share.0,
                        body: Data(count: share.1 << 10 - Refusal.overhead))
                })
            try await ledger.dropRefusals(
                beyond: RefusalStorageLimit(count: testCase.count, bytes: testCase.kiB << 10))
            let remaining = try await ledger.refusals(before: .max, limit: 9).map { Int($0.refusal.receivedAt) }
            #expect(remaining == (1...testCase.sizes.count).reversed().filter { !testCase.dropped.contains($0) })
        }
    }

    @Test(arguments: Engine.allCases, 0..<20 as Range<UInt64>)
    func `Dropping refusals removes exactly those that the storage limit selects`(_ engine: Engine, _ seed: UInt64)
        async throws
    {
        try await Tool.inTemporaryFolder { folder in
            var random = SeededGenerator(seed: seed)
            let ledger = try engine.open(in: folder)
            let senders = [
                "17.0.0.1", "17.0.0.2", "2001:db8:1:2::3", "2001:db8:1:2::4", "2001:db8:1:3::3", "unix", nil,
            ]
            for _ in 0..<4 {
                let new = (0..<Int.random(in: 1...20, using: &random)).map { index in
                    Refusal(
                        receivedAt: Int64(index), code: "no",
                        message: String(repeating: "é", count: Int.random(in: 0...90, using: &random)),
                        sender: senders.randomElement(using: &random) ?? nil,
                        body: Data(count: Int.random(in: 0...300, using: &random)))
                }
                try await ledger.commit(new)
                let limit = RefusalStorageLimit(
                    count: Int.random(in: 0...30, using: &random), bytes: Int.random(in: 0...9000, using: &random))
                let before = try await ledger.refusals(before: .max, limit: 1000)
                let exceeded = limit.exceeded(by: before)
                try await ledger.dropRefusals(beyond: limit)
                let after = try await ledger.refusals(before: .max, limit: 1000)
                #expect(after == before.filter { !exceeded.contains($0.id) })
            }
        }
    }
}
