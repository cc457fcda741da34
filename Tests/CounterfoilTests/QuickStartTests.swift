import Foundation
import TestSupport
import Testing

/// Types the documented commands exactly as written.
@Suite(.serialized, .timeLimit(.minutes(10))) struct `Quick start of the README` {
    @Test func `The commands in README lead to an active entitlement`() async throws {
        try await Terminal.open { terminal in
            var export = ""
            var answers: [String] = []
            for line in try Typed.readme(containing: "counterfoil server init") {
                if line.contains("export COUNTERFOIL_KEY=") {
                    answers.append(try await terminal.expect(export))
                } else if line.contains(" &") {
                    try await terminal.start(line)
                } else {
                    if line.hasSuffix("/customers/$ID") { try await Self.expectEntitlement(line, in: terminal) }
                    answers.append(try await terminal.expect(line))
                    if let hint = answers.last?.firstMatch(of: /export COUNTERFOIL_KEY=\S+/) {
                        export = String(hint.output)
                    }
                }
            }
            #expect(answers.count > 6)
            #expect(answers.dropLast().last?.contains(#""is_active":true"#) == true, "\(answers)")
        }
    }

    @Test func `The hints of the simulator, server init and server run lead to an active entitlement`() async throws {
        try await Terminal.open { terminal in
            let simulator = try await terminal.start("counterfoil simulator")
            try await Self.typeHints(simulator.hints, in: terminal)
            let written = try await terminal.expect("counterfoil server init --simulator")
            let hints = Typed.hints(written.split(separator: "\n").map(String.init))
            var server: Terminal.Background?
            for hint in hints {
                if hint.hasPrefix("counterfoil server run") {
                    server = try await terminal.start(hint)
                } else if Terminal.keepsRunning(hint) {
                    try await terminal.start(hint)
                } else if hint.hasPrefix("counterfoil simulator buy anna premium.monthly") {
                    // The simulator's own hints already included this purchase.
                    #expect(try await terminal.type(hint).errors.contains("already"))
                } else {
                    try await terminal.expect(hint)
                }
            }
            let running = try #require(server)
            try await Self.typeHints(running.hints, in: terminal)
            let request = try #require(Typed.hints(running.hints).last)
            #expect(request.hasPrefix("curl "))
            try await Self.expectEntitlement(request, in: terminal)
        }
    }

    /// Types the hints of a started command.
    private static func typeHints(_ lines: [String], in terminal: Terminal) async throws {
        let hints = Typed.hints(lines)
        #expect(hints.count > 2, "\(lines)")
        for hint in hints {
            if Terminal.keepsRunning(hint) { try await terminal.start(hint) } else { try await terminal.expect(hint) }
        }
    }

    /// Repeats a request about a customer until it returns an active entitlement: received notifications are processed
    /// a moment later, and earlier events are fetched when the server starts.
    private static func expectEntitlement(_ line: String, in terminal: Terminal) async throws {
        while true {
            let json = try JSONSerialization.jsonObject(with: Data(try await terminal.expect(line).utf8))
            let entitlements = (json as? [String: Any])?["entitlements"] as? [[String: Any]]
            // An answer without entitlements is an error.
            if try #require(entitlements).contains(where: { $0["is_active"] as? Bool == true }) { return }
        }
    }
}
