import Foundation
import TestSupport
import Testing

@Suite(
    .timeLimit(.minutes(10)), .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/jq"), "jq is not installed")
)
struct `The check without Prometheus in the documentation` {
    /// The lines of docs/operations-monitoring.md that a job runs.
    private static func checks() throws -> [String] {
        let page = try Fixtures.file("docs/operations-monitoring.md")
        let section = try #require(page.components(separatedBy: "### Without Prometheus\n").dropFirst().first)
        let block = try #require(section.components(separatedBy: "```").dropFirst().first)
        return block.split(separator: "\n").map(String.init).filter { $0.hasPrefix("counterfoil ") }
    }

    @Test func `Each line succeeds if all is well, and fails without an answer`() async throws {
        let checks = try Self.checks()
        #expect(checks.count == 2)
        try await Terminal.open { terminal in
            try await terminal.start("counterfoil simulator --port 9000 --clock frozen")
            let written = try await terminal.expect("counterfoil server init --simulator --output counterfoil.yaml")
            let export = try #require(written.firstMatch(of: /export COUNTERFOIL_KEY=\S+/)).output
            try await terminal.expect(String(export))
            try await terminal.expect("export COUNTERFOIL_URL=http://127.0.0.1:8080")
            let server = try await terminal.start("counterfoil server run --config counterfoil.yaml")
            for check in checks {
                // The first recovery may not have ended.
                try await waitUntil("\(check) succeeds") { try await terminal.type(check).status == 0 }
            }
            await terminal.end(server)
            for check in checks {
                let outcome = try await terminal.type(check)
                #expect(outcome.status != 0, "\(check)")
            }
        }
    }

    @Test func `Each line fails if one part of several is not well`() async throws {
        let well = #"{"status":"ok","state":"complete"}"#
        try await Terminal.open { terminal in
            for check in try Self.checks() {
                let filter = try #require(check.components(separatedBy: " | jq ").dropFirst().first)
                for (last, isWell) in [(well, true), (#"{"status":"failing","state":"incomplete"}"#, false)] {
                    let outcome = try await terminal.type("echo '{\"items\":[\(well),\(last)]}' | jq \(filter)")
                    #expect((outcome.status == 0) == isWell, "\(check): \(outcome.text)")
                }
            }
        }
    }
}
