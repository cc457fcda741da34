import AppStoreServer
import Foundation
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite

@Suite struct `The format of an export` {
    @Test func `The documentation lists every object of an export with its members`() async throws {
        var members = try Self.members(of: try await Self.exportedText())
        // The original purchase and the statements in this export are from receipts, which have no signed text.
        for name in ["original_purchase", "statement"] { members[name, default: []].insert("signed_text") }
        let documented = try Self.documentedMembers()
        #expect(members == documented)
    }

    @Test func `The last line counts all other lines but the first`() async throws {
        let lines = try await Self.exportedText().split(separator: "\n")
        let last = try #require(lines.last)
        let end = try #require(try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
        func count(_ object: String) -> Int { lines.count { $0.hasPrefix(#"{"object":"\#(object)""#) } }
        var counted = 2
        for (name, objects) in [
            ("notifications", ["notification"]), ("statements", ["statement"]), ("claims", ["claim", "account_claim"]),
            ("erasures", ["erasure"]), ("original_purchases", ["original_purchase"]), ("grant_events", ["grant_event"]),
        ] {
            let number = objects.map { count($0) }.reduce(0, +)
            #expect(number > 0 && end[name] as? Int == number, "\(name)")
            counted += number
        }
        #expect(counted == lines.count)
    }

    /// Returns an export that has lines of all kinds.
    private static func exportedText() async throws -> String {
        let history = try await RandomStoreHistory.shared.value
        return try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            var random = SeededGenerator(seed: 7)
            try await ledger.commit(try await ledger.arrivals(of: history), &random)
            let file = folder.appending(path: "export.jsonl")
            try Data(otherLines.joined(separator: "\n").utf8).write(to: file)
            let report = try await ledger.importFile(file, verifiedBy: history.verifier)
            try #require(report.refusals == 0, "\(report.refused)")
            try await ledger.sqlite.export(to: file)
            return try String(contentsOf: file, encoding: .utf8)
        }
    }

    /// The lines of all objects that a `RandomStoreHistory` does not contain.
    private static let otherLines = #"""
        "object":"claim","original_transaction_id":"1","customer":"anna","kind":"take","claimed_at":5
        "object":"account_claim","app_transaction_id":"a","customer":"anna","kind":"take","claimed_at":5
        "object":"erasure","digest":"0000000000000000000000000000000000000000000000000000000000000000","at":5
        "object":"original_purchase","subject":"a","kind":"receipt","received_at":5,\#
        "first_purchase":{"application_version":"1.0","signed_date":5}
        "object":"grant_event","grant":"g","kind":"create","at":5,"customer":"anna","entitlement":"premium",\#
        "until":9,"reason":"r","actor":"a"
        "object":"grant_event","grant":"g","kind":"revoke","at":6,"reason":"r","actor":"a"
        """#.split(separator: "\n").map {
            #"{\#($0),"bundle_id":"\#(RandomStoreHistory.bundleID)","environment":"Production"}"#
        }

    /// Returns a line about an app and an environment.
    private static func line(
        _ members: String, app: String = RandomStoreHistory.bundleID, environment: String = "Production"
    ) -> String { #"{\#(members),"bundle_id":"\#(app)","environment":"\#(environment)"}"# }

    private static let claim =
        #""object":"claim","original_transaction_id":"1","customer":"anna","kind":"take","claimed_at":5"#
    private static let original = #""object":"original_purchase","received_at":5,"subject":"a","kind":"receipt""#
    private static let digest = String(repeating: "0", count: 64)

    private static let refused: [(line: String, reason: String)] = [
        (line(claim, app: "com.example.none"), "the app or environment is not configured"),
        (line(claim, environment: "Xcode"), "the app or environment is not configured"),
        (line(claim.replacing("take", with: "steal")), "the kind of the claim is unknown"),
        (line(claim.replacing(":5", with: ":\(Int64.min)")), "the date of the claim is invalid"),
        (line(claim.replacing("original_", with: "")), "not a valid line of an export"),
        (line(#""object":"nothing""#), "not a valid line of an export"),
        (#"{"object":"ledger_export"}"#, "not a valid line of an export"),
        (#"{"object":"ledger_export","version":0}"#, "not a valid line of an export"),
        (line(#""object":"erasure","digest":"\#(digest)""#), "not a valid line of an export"),
        (line(#""object":"erasure","digest":"\#(digest)00","at":5"#), "not a valid line of an export"),
        (line(#""object":"erasure","digest":"\#(digest.dropLast())g","at":5"#), "not a valid line of an export"),
        (line(#""object":"erasure","digest":"\#(digest)","at":\#(Int64.max)"#), "not a valid line of an export"),
        (line(#""object":"statement","kind":"receipt","received_at":5"#), "not a valid line of an export"),
        (line(original), "not a valid line of an export"),
        (line(original.replacing(#":"a""#, with: #":"""#)), "not a valid line of an export"),
        (line(original.replacing("receipt", with: "letter")), "not a valid line of an export"),
    ]

    @Test func `A line of another form is refused with its number and reason, and the others are imported`()
        async throws
    {
        let history = try await RandomStoreHistory.shared.value
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            let file = folder.appending(path: "export.jsonl")
            let lines = Self.refused.map(\.line) + [Self.line(Self.claim)]
            try Data(lines.joined(separator: "\n").utf8).write(to: file)
            let report = try await ledger.importFile(file, verifiedBy: history.verifier)
            #expect(report.refused == Self.refused.enumerated().map { "line \($0 + 1): \($1.reason)" })
            #expect(report.refusals == Self.refused.count && report.claims == 1)
        }
    }

    @Test func `An import finds that its file lacks lines which the last line counts`() async throws {
        let history = try await RandomStoreHistory.shared.value
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            let file = folder.appending(path: "export.jsonl")
            for (count, lacksLines) in [
                (#""claims":1"#, false), (#""claims":2"#, true), (#""notifications":1"#, true),
                (#""statements":\#(Int.max)"#, true), (#""statements":\#(Int.min)"#, false),
                (#""erasures":1"#, false), (#""erasures":2"#, true), (#""original_purchases":1"#, false),
                (#""original_purchases":2"#, true), (#""grant_events":2"#, false), (#""grant_events":3"#, true),
            ] {
                let others = Self.otherLines.filter { !$0.contains("claim\"") }
                let end = #"{"object":"end","digest":"\#(Self.digest)",\#(count)}"#
                let lines = [Self.line(Self.claim)] + others + [end]
                try Data(lines.joined(separator: "\n").utf8).write(to: file)
                let report = try await ledger.importFile(file, verifiedBy: history.verifier)
                #expect(report.refusals == 0 && report.claims == 1 && report.expectedDigest == Self.digest)
                #expect(report.lacksLines == lacksLines, "\(count)")
            }
        }
    }

    @Test func `A report of an import lists the first hundred refusals, and counts all`() async throws {
        let history = try await RandomStoreHistory.shared.value
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            let file = folder.appending(path: "export.jsonl")
            try Data(String(repeating: "x\n", count: 301).utf8).write(to: file)
            let report = try await ledger.importFile(file, verifiedBy: history.verifier)
            #expect(report.refusals == 301 && report.refused.count == 100)
            #expect(report.refused.last == "line 100: not a valid line of an export")
        }
    }

    /// The digest covers what was processed, so it cannot agree while a notification waits.
    @Test func `An export says whether a notification waits, and its import processes it`() async throws {
        let history = try await RandomStoreHistory.shared.value
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            let notification = try #require(history.notifications.first)
            let received = ReceivedNotification(
                try GenuineNotification(notification), in: ledger.appEnvironment, at: World.start, origin: .delivered)
            let insertions = try await ledger.storage.commit(received: [received], processed: [])
            try #require(insertions.count == 1)
            let file = folder.appending(path: "export.jsonl")
            let other = try await TestLedger(in: folder)
            for (exported, importing, hasPending) in [(ledger, other, true), (other, ledger, false)] {
                try await exported.export(to: file)
                let report = try await importing.importFile(file, verifiedBy: history.verifier)
                #expect(report.notifications == 1 && report.refusals == 0 && report.hasPending == hasPending)
            }
        }
    }

    /// Returns the members of each object in an export, but not those that all objects have.
    private static func members(of text: String) throws -> [String: Set<String>] {
        var members: [String: Set<String>] = [:]
        for line in text.split(separator: "\n") {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let name = try #require(object["object"] as? String)
            members[name, default: []].formUnion(object.keys)
            members[name]?.subtract(["object", "bundle_id", "environment"])
        }
        return members
    }

    /// Returns the members of each object in the documentation's table.
    private static func documentedMembers() throws -> [String: Set<String>] {
        let page = Fixtures.package.appending(path: "docs/operations-backup.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
            .drop { $0 != "| `object` | members | contents |" }.dropFirst(2).prefix { $0.hasPrefix("|") }
        var members: [String: Set<String>] = [:]
        for row in rows {
            let cells = row.split(separator: "|").prefix(2).map { cell in
                cell.matches(of: /`([a-z_]+)`/).map { String($0.output.1) }
            }
            let name = try #require(cells.first?.first)
            members[name] = Set(try #require(cells.last))
        }
        return members
    }
}
