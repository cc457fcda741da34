import Foundation
import TestSupport
import Testing

@Suite(
    .timeLimit(.minutes(10)), .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/jq"), "jq is not installed")
)
struct `The script for CI in the documentation` {
    /// Blocks of docs/tasks.md: the script, and what sets a grace period in it.
    private static func blocks() throws -> (script: String, gracePeriod: String) {
        let page = try Fixtures.file("docs/tasks.md")
        let blocks = page.components(separatedBy: "```").filter { $0.hasPrefix("sh\n") }.map { String($0.dropFirst(3)) }
        return (
            try #require(blocks.first { $0.contains("server init --simulator store") }),
            try #require(blocks.first { $0.contains("gracePeriod") })
        )
    }

    private static func run(_ script: String) async throws -> Command.Outcome {
        try await Terminal.open { terminal in
            try Data(terminal.literal(script).utf8).write(to: terminal.home.appending(path: "ci.sh"))
            return try await terminal.type("TMPDIR=$HOME sh ci.sh")
        }
    }

    @Test func `It succeeds`() async throws {
        let outcome = try await Self.run(Self.blocks().script)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }

    /// jq 1.6 succeeds without input: with an error instead of an answer, the pipeline has no other status.
    @Test func `It fails if the server answers with an error`() async throws {
        let script = try Self.blocks().script
        let changed = script.replacing("/entitlements/premium", with: "/entitlements/premiun")
        try #require(changed != script)
        let outcome = try await Self.run(changed + "\necho unreachable")
        #expect(outcome.status != 0 && !outcome.output.contains("unreachable"), "\(outcome.output)\(outcome.errors)")
        #expect(outcome.errors.contains("not_found"), "\(outcome.errors)")
    }

    /// In a grace period until February the customer keeps access after a failed payment. The script expects none.
    @Test func `It fails if an answer is another one, and ends what it started`() async throws {
        let (script, gracePeriod) = try Self.blocks()
        let longer = gracePeriod.replacing("sixteenDays", with: "twentyEightDays")
        let changed = script.replacing("counterfoil simulator buy", with: longer + "counterfoil simulator buy")
        try #require(longer != gracePeriod && changed != script)
        let outcome = try await Self.run(changed + "\necho unreachable")
        #expect(outcome.status == 1 && !outcome.output.contains("unreachable"), "\(outcome.output)\(outcome.errors)")
    }
}
