import Basics
import Crypto
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A recovery by a running server` {
    /// Calls `body` with the URL and the key of a running server that uses a simulator.
    private func withServer(_ body: (_ url: String, _ key: String) async throws -> Void) async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "counterfoil.yaml")
            try await RunningCommand.withSimulator(in: folder) { store, _ in
                let written = try await Command.run(
                    ["server", "init", "--simulator", store.path, "--output", file.path])
                let key = try #require(
                    written.output.firstMatch(of: /export COUNTERFOIL_KEY=(cfk_[A-Za-z0-9_-]{43})\n/))
                let server = try await RunningCommand(
                    ["server", "run", "--config", file.path, "--port", "0", "--json"],
                    state: folder.appending(path: "state"))
                try await withCleanup({
                    server.terminate()
                    _ = await server.end()
                }) {
                    var lines = server.lines.makeAsyncIterator()
                    let url = try #require(try RunningCommand.object(await lines.next())["url"] as? String)
                    try await body(url, String(key.1))
                }
            }
        }
    }

    @Test func `A recovery covers every environment unless one is named`() async throws {
        try await withServer { url, key in
            let recover = ["server", "recover", "--from", "2027-02-20", "--json", "--url", url]
            func environments(_ options: String...) async throws -> [String] {
                let outcome = try await Command.run(recover + options, environment: ["COUNTERFOIL_KEY": key])
                #expect(outcome.status == 0, "\(outcome.errors)")
                return try outcome.output.split(separator: "\n").map {
                    try #require(try RunningCommand.object(String($0))["environment"] as? String)
                }
            }
            #expect(try await environments().sorted() == ["Production", "Sandbox"])
            #expect(try await environments("--environment", "sandbox") == ["Sandbox"])
            let other = try await Command.run(
                recover + ["--app", "com.example.other"], environment: ["COUNTERFOIL_KEY": key])
            #expect(other.status == 1 && other.errors.hasPrefix("refused unknown_app: "), "\(other.errors)")
        }
    }
}

@Suite struct `A recovery with a stopped server` {
    @Test(arguments: [("2020-01-01", "too_old"), ("2999-01-01", "invalid_span")])
    func `A recovery is refused for a period that the App Store does not keep`(
        _ from: String, _ code: String
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            let (key, file) = (folder.appending(path: "key.p8"), folder.appending(path: "counterfoil.yaml"))
            try Data(P256.Signing.PrivateKey().pemRepresentation.utf8).write(to: key)
            try Data(
                """
                apps:
                  - bundle_id: com.example.app
                    apple_id: 1234567890
                    key: {issuer_id: issuer, key_id: ABC123DEFG, private_key: {file: key.p8}}
                """.utf8
            ).write(to: file)
            let outcome = try await Command.run(["server", "recover", "--config", file.path, "--from", from])
            let last = outcome.errors.split(separator: "\n").last
            #expect(outcome.status == 1 && last?.hasPrefix("refused \(code): ") == true, "\(outcome.errors)")
        }
    }

    @Test func `A recovery logs to standard error in the configured format`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "counterfoil.yaml")
            let outcome = try await RunningCommand.withSimulator(in: folder) { store, _ in
                for command in [
                    ["simulator", "buy", "anna", "premium.monthly", "--simulator", store.path],
                    ["simulator", "buy", "ben", "premium.monthly", "--simulator", store.path],
                    ["simulator", "fault", "add", "route:*", "invalidSignature", "--simulator", store.path],
                    ["server", "init", "--simulator", store.path, "--output", file.path],
                ] {
                    let outcome = try await Command.run(command)
                    try #require(outcome.status == 0, "\(outcome.errors)")
                }
                let text = try String(contentsOf: file, encoding: .utf8) + "\nlog: {format: json}\n"
                try Data(text.utf8).write(to: file)
                return try await Command.run([
                    "server", "recover", "--from", "2027-02-20", "--config", file.path, "--json",
                ])
            }
            let lines = try outcome.errors.split(separator: "\n").prefix(2)
                .map { try RunningCommand.object(String($0)) }
            #expect(lines.first?["message"] as? String == "there was no ledger, so an empty one was created")
            let logged = try #require(lines.dropFirst().first)
            #expect(logged["message"] as? String == "notifications of the history failed verification")
            let metadata = try #require(logged["metadata"] as? [String: String])
            #expect(metadata["count"] == "2" && metadata["environment"] == "Production", "\(metadata)")
            // One line per environment, and the error.
            let printed = try outcome.output.split(separator: "\n").map { try RunningCommand.object(String($0)) }
            #expect(printed.count == 3 && printed.allSatisfy { $0["level"] == nil })
            #expect(outcome.status == 1 && printed.last?["code"] as? String == "recovery_incomplete")
        }
    }
}
