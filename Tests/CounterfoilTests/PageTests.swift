import Foundation
import TestSupport
import Testing

/// A block of console input in a documentation page, with the output that the page shows.
struct ConsoleBlock: Sendable, CustomTestStringConvertible {
    /// A line of input and its expected output.
    struct Step: Sendable {
        var line: String
        var expected: [String] = []
    }

    var place: String
    var steps: [Step]

    var testDescription: String { place }

    /// Whether the block starts its own simulator.
    var startsSimulator: Bool { steps.contains { $0.line.hasPrefix("counterfoil simulator -") } }

    /// The blocks of all pages that begin with a command.
    static let all: [ConsoleBlock] = pages.flatMap(blocks)

    /// Those that start their own simulator, without the one whose key `server init` prints. `Quick start of the README`
    /// types that one.
    static let withSimulator = all.filter { block in
        block.startsSimulator && !block.steps.contains { $0.line.hasPrefix("counterfoil server init ") }
    }

    private static var pages: [String] {
        let manager = FileManager.default
        let folders =
            ["docs", "Client"]
            + (manager.subpaths(atPath: Fixtures.package.path + "/Sources") ?? [])
            .filter { $0.hasSuffix(".docc") }.map { "Sources/" + $0 }
        let others = folders.flatMap { folder in
            ((try? manager.contentsOfDirectory(atPath: Fixtures.package.path + "/" + folder)) ?? [])
                .filter { $0.hasSuffix(".md") }.map { folder + "/" + $0 }
        }
        return ["README.md"] + others.sorted()
    }

    private static func blocks(_ page: String) -> [ConsoleBlock] {
        guard let text = try? Fixtures.file(page) else { return [] }
        var number = 0
        var block: (start: Int, lines: [String])?
        var found: [ConsoleBlock] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            number += 1
            guard line.hasPrefix("```") else {
                block?.lines.append(line)
                continue
            }
            if let ended = block, let steps = steps(ended.lines) {
                found.append(ConsoleBlock(place: "\(page):\(ended.start)", steps: steps))
            }
            block = block == nil ? (number, []) : nil
        }
        return found
    }

    /// Returns nil for a block that does not begin with a command.
    private static func steps(_ lines: [String]) -> [Step]? {
        let hasPrompt = lines.first?.hasPrefix("$ ") ?? false
        guard let first = lines.first?.trimmingPrefix("$ "), first.hasPrefix("counterfoil ") || first.hasPrefix("curl ")
        else { return nil }
        return lines.filter { !$0.isEmpty }.reduce(into: []) { steps, line in
            if !hasPrompt || line.hasPrefix("$ ") {
                steps.append(Step(line: String(line.trimmingPrefix("$ "))))
            } else {
                steps[steps.count - 1].expected.append(line)
            }
        }
    }
}

/// An output line in a page. Digits match any digits, and `…` matches any text.
struct PromisedLine {
    private let pattern: String

    init(_ line: String) {
        pattern =
            "^"
            + line.split(separator: "…", omittingEmptySubsequences: false).map { part in
                NSRegularExpression.escapedPattern(for: String(part)).replacing(/[0-9]+/, with: "[0-9]+")
            }.joined(separator: ".*") + "$"
    }

    func matches(by line: some StringProtocol) -> Bool {
        String(line).range(of: pattern, options: .regularExpression) != nil
    }

    /// Returns the expected lines that the output does not contain in this order.
    static func missing(_ expected: [String], by output: String) -> [String] {
        var lines = output.split(separator: "\n", omittingEmptySubsequences: false)[...]
        return expected.filter { line in
            if line == "…" { return false }
            guard let index = lines.firstIndex(where: { PromisedLine(line).matches(by: $0) }) else { return true }
            lines = lines[(index + 1)...]
            return false
        }
    }
}

@Suite(.serialized, .timeLimit(.minutes(10))) struct `Commands in the documentation` {
    @Test func `The commands in all pages succeed and print what the pages show`() async throws {
        let blocks = ConsoleBlock.all.filter { !$0.startsSimulator }
        #expect(blocks.count > 8, "\(blocks.map(\.place))")
        #expect(blocks.count + ConsoleBlock.withSimulator.count + 1 == ConsoleBlock.all.count)
        try await Terminal.open { terminal in
            var stage = try await Self.stage(terminal)
            for (index, block) in blocks.enumerated() {
                for step in block.steps {
                    guard let line = stage.line(step.line, in: index) else { continue }
                    // Only one process may write to a ledger, as those pages say.
                    let isAlone =
                        line.hasPrefix("counterfoil server import ") || line.hasPrefix("counterfoil ledger rebuild ")
                    if isAlone { await terminal.end(stage.server) }
                    let outcome = try await terminal.type(line)
                    if isAlone { stage.server = try await terminal.start(Self.serve) }
                    #expect(outcome.status == 0, "\(block.place): \(line)\n\(outcome.output)\(outcome.errors)")
                    let missing = PromisedLine.missing(step.expected, by: outcome.output)
                    #expect(missing == [], "\(block.place): \(line) prints\n\(outcome.output.prefix(2000))")
                }
            }
        }
    }

    @Test(arguments: ConsoleBlock.withSimulator)
    func `The commands of a block with its own simulator succeed and print what the page shows`(_ block: ConsoleBlock)
        async throws
    {
        try await Terminal.open { terminal in
            for step in block.steps {
                let output =
                    if Terminal.keepsRunning(step.line) {
                        try await terminal.start(step.line).hints.joined(separator: "\n")
                    } else {
                        try await terminal.expect(step.line)
                    }
                #expect(PromisedLine.missing(step.expected, by: output) == [], "\(step.line) prints\n\(output)")
            }
        }
    }

    @Test(arguments: [
        ("one 12 two", "one 9999 two", true), ("one 12 two", "one two", false), ("a … b", "a x y b", true),
        ("a (b)*", "a (b)*", true), ("a.c", "abc", false), ("valid", "invalid", false),
    ])
    func `Expected output lines match any digits`(_ expected: String, _ printed: String, _ matches: Bool) {
        #expect(PromisedLine.missing([expected], by: "before\n\(printed)\nafter").isEmpty == matches)
    }

    /// A simulator, a server and the files that pages mention.
    private struct Stage {
        /// Texts in pages and their replacements in this test.
        var names: [(String, String)]
        var server: Terminal.Background

        /// Returns nil for lines that need missing genuine data or programs. Each block has its own customer for anna.
        func line(_ line: String, in block: Int) -> String? {
            if line.contains(".jws") || line.contains(".b64"), !Fixtures.hasSignedData { return nil }
            if line.contains("| jq"), !FileManager.default.fileExists(atPath: "/usr/bin/jq") { return nil }
            return (names + [("anna", "anna\(block)")]).reduce(line) { $0.replacing($1.0, with: $1.1) }
        }
    }

    /// The app of the genuine notification.
    private static let genuineApp = "com.loki-project.loki-messenger"
    private static let serve = "counterfoil server run --config counterfoil.yaml"

    private static func stage(_ terminal: Terminal) async throws -> Stage {
        try await terminal.start(
            "counterfoil simulator --port 9000 --clock frozen --notify http://127.0.0.1:8080/apple/notifications")
        let written = try await terminal.expect("counterfoil server init --simulator --output counterfoil.yaml")
        let export = try #require(written.firstMatch(of: /export COUNTERFOIL_KEY=\S+/)).output
        try await terminal.expect(String(export))
        try await terminal.expect("printf %s \"$COUNTERFOIL_KEY\" > key.txt")
        for name in ["staging", "new"] {
            try await terminal.expect("sed 's/counterfoil\\.sqlite/\(name).sqlite/' counterfoil.yaml > \(name).yaml")
        }
        let server = try await terminal.start(serve)
        try await terminal.expect("counterfoil simulator buy otto premium.monthly")
        let status = try await terminal.expect("counterfoil simulator status --json")
        let key = try #require(status.firstMatch(of: /"privateKey":"([^"]+)"/)).output.1
        try await terminal.expect("cp \(key) key.p8")
        let bought = try await terminal.expect("counterfoil simulator customers otto --json")
        let transaction = try #require(bought.firstMatch(of: /"transactionId":"([0-9]+)"/)).output.1
        try FileManager.default.createDirectory(
            at: terminal.home.appending(path: "backup"), withIntermediateDirectories: true)
        try Data("\(transaction)\n".utf8).write(to: terminal.home.appending(path: "customers.txt"))
        if Fixtures.hasSignedData {
            for (name, genuine) in [
                ("notification.jws", "jws/1759727785445-notification-subscribed.jws"),
                ("receipt.b64", "receipts/sandbox-sha256-2025.b64"), ("old.b64", "receipts/legacy-v2-sandbox-2012.b64"),
            ] {
                try Data(try Fixtures.text(genuine).utf8).write(to: terminal.home.appending(path: name))
            }
        }
        return Stage(
            names: [
                ("https://purchases.example.com", "http://127.0.0.1:8080"), ("/backup/", "backup/"),
                ("/etc/counterfoil/", ""),
                ("notification.jws --app com.example.app", "notification.jws --app \(genuineApp)"),
                ("transaction-history 2000001092134138", "transaction-history \(transaction)"),
                ("--issuer-id …", "--issuer-id 57246542-96fe-1a63-e053-0824d011072a"),
            ], server: server)
    }
}
