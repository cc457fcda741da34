import Foundation
import TestSupport
import Testing

/// Somebody types what is written, letter by letter. One process after the other: Foundation's `Process` does not like many
/// at a time.
@Suite(.serialized, .timeLimit(.minutes(10))) struct `The first five minutes` {
    @Test func `go as README says, and end with an active entitlement`() async throws {
        try await Terminal.open { terminal in
            var export = ""
            var answers: [String] = []
            for line in try Typed.readme(containing: "counterfoil server init") {
                if line.contains("export KEY=") {
                    answers.append(try await terminal.expect(export))
                } else if line.contains(" &") {
                    try await terminal.start(line)
                } else {
                    if line.hasSuffix("/customers/$ID") { try await Self.expectEntitlement(line, in: terminal) }
                    answers.append(try await terminal.expect(line))
                    if let hint = answers.last?.firstMatch(of: /export KEY=\S+/) { export = String(hint.output) }
                }
            }
            #expect(answers.count > 6)
            #expect(answers.dropLast().last?.contains(#""is_active":true"#) == true, "\(answers)")
        }
    }

    @Test func `go as the simulator, server init and server run say, and end with an active entitlement`() async throws
    {
        try await Terminal.open { terminal in
            let simulator = try await terminal.start("counterfoil simulator")
            try await Self.follow(simulator.hints, in: terminal)
            let written = try await terminal.expect("counterfoil server init --simulator")
            let hints = Typed.hints(written.split(separator: "\n").map(String.init))
            var server: Terminal.Background?
            for hint in hints {
                if hint.hasPrefix("counterfoil server run") {
                    server = try await terminal.start(hint)
                } else if Terminal.goesOn(hint) {
                    try await terminal.start(hint)
                } else if hint.hasPrefix("counterfoil simulator buy anna premium.monthly") {
                    // The simulator's own hints had her buy that before there was a server.
                    #expect(try await terminal.type(hint).errors.contains("already"))
                } else {
                    try await terminal.expect(hint)
                }
            }
            let said = try #require(server)
            try await Self.follow(said.hints, in: terminal)
            let question = try #require(Typed.hints(said.hints).last)
            #expect(question.hasPrefix("curl "))
            try await Self.expectEntitlement(question, in: terminal)
        }
    }

    @Test func `have a store as README says`() async throws {
        try await Terminal.open { terminal in
            for line in try Typed.readme(containing: "counterfoil simulator trigger REFUND") {
                if Terminal.goesOn(line) { try await terminal.start(line) } else { try await terminal.expect(line) }
            }
        }
    }

    /// Types the hints of something that was started.
    private static func follow(_ lines: [String], in terminal: Terminal) async throws {
        let hints = Typed.hints(lines)
        #expect(hints.count > 2, "\(lines)")
        for hint in hints {
            if Terminal.goesOn(hint) { try await terminal.start(hint) } else { try await terminal.expect(hint) }
        }
    }

    /// Types a line that asks about a customer, until the answer is that they have something: what is acknowledged is
    /// processed a moment later, and what happened before there was a server is fetched when it starts.
    private static func expectEntitlement(_ line: String, in terminal: Terminal) async throws {
        while true {
            let json = try JSONSerialization.jsonObject(with: Data(try await terminal.expect(line).utf8))
            let entitlements = (json as? [String: Any])?["entitlements"] as? [[String: Any]]
            // Anything else than an answer about a customer will not become one.
            if try #require(entitlements).contains(where: { $0["is_active"] as? Bool == true }) { return }
        }
    }
}
