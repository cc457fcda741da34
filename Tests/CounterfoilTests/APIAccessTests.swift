import AppStoreModels
import Foundation
import TestSupport
import Testing

/// The options that tell `counterfoil api` which host to call and which key to use.
@Suite(.serialized) struct `Connection options of counterfoil api` {
    @Test func `counterfoil api calls the running or named simulator in either environment`() async throws {
        try await Terminal.open { terminal in
            let store = terminal.home.appending(path: "store").path
            try await terminal.start("counterfoil simulator --directory ./store")
            let bought = try Self.transaction(await terminal.expect("counterfoil simulator buy anna unlock --json"))
            let sandbox = "counterfoil simulator buy anna unlock --environment sandbox --json"
            let inSandbox = try Self.transaction(await terminal.expect(sandbox))
            for line in [
                "counterfoil api transaction \(bought)", "counterfoil api transaction \(bought) --simulator \(store)",
                "COUNTERFOIL_SIMULATOR=./store counterfoil api transaction \(bought)",
                "counterfoil api transaction \(inSandbox) --environment sandbox",
            ] {
                #expect(try await terminal.expect(line).contains("signedTransactionInfo"))
            }
            let elsewhere = try await terminal.type("counterfoil api transaction \(bought) --environment sandbox")
            #expect(elsewhere.status == 1 && elsewhere.errors.contains("4040010"), "\(elsewhere.errors)")
            #expect(!elsewhere.errors.contains("only"))
            // An endpoint that only one environment has.
            let groups = try await terminal.type("counterfoil api customer-groups \(bought)")
            #expect(groups.status == 1 && groups.errors.contains("only: --environment sandbox"), "\(groups.errors)")
        }
    }

    @Test func `counterfoil api uses keys, hosts and apps of a server configuration`() async throws {
        try await Terminal.open { terminal in
            try await terminal.start("counterfoil simulator")
            let bought = try Self.transaction(await terminal.expect("counterfoil simulator buy anna unlock --json"))
            try await terminal.expect("counterfoil server init --simulator")
            let call = "counterfoil api transaction \(bought) --config counterfoil.yaml"
            #expect(try await terminal.expect(call).contains("signedTransactionInfo"))
            #expect(try await terminal.expect(call + " --app com.example.app").contains("signedTransactionInfo"))
            let stranger = try await terminal.type(call + " --app com.example.other")
            #expect(stranger.status == 2 && stranger.errors.contains("com.example.app"), "\(stranger.errors)")
            #expect(try await terminal.type(call + " --environment sandbox").errors.contains("4040010"))
            // Two apps, the second one without a key.
            let file = terminal.home.appending(path: "counterfoil.yaml")
            let text = try String(contentsOf: file, encoding: .utf8)
            // In production it would call Apple, and the file must not contain the other app's secret.
            let second = "apps:\n  - bundle_id: com.example.second\n    environments: [sandbox]\n"
            try Data(text.replacing("\napps:\n", with: "\n" + second).utf8).write(to: file)
            let ambiguous = try await terminal.type(call)
            #expect(
                ambiguous.status == 2 && ambiguous.errors.contains("com.example.second, com.example.app"),
                "\(ambiguous.errors)")
            #expect(try await terminal.expect(call + " --app com.example.app").contains("signedTransactionInfo"))
            let withoutKey = try await terminal.type(call + " --app com.example.second")
            #expect(withoutKey.status == 1 && withoutKey.errors.contains("has no key"), "\(withoutKey.errors)")
        }
    }

    @Test func `Without options and a running simulator, counterfoil api says what to do`() async throws {
        try await Terminal.open { terminal in
            let outcome = try await terminal.type("counterfoil api transaction 1")
            #expect(outcome.status == 1)
            for text in ["no simulator is running", "--config"] { #expect(outcome.errors.contains(text)) }
        }
    }

    @Test func `Instants have milliseconds in JSON, but not in text`() async throws {
        try await Terminal.open { terminal in
            try await terminal.start("counterfoil simulator --clock frozen:2026-01-01T00:00:00.250Z")
            #expect(try await terminal.expect("counterfoil simulator clock").hasPrefix("2026-01-01 00:00:00 UTC, "))
            #expect(try await terminal.expect("counterfoil simulator clock --json").contains("1767225600250"))
        }
    }

    private static func transaction(_ outcome: String) throws -> String {
        let json = try JSONSerialization.jsonObject(with: Data(outcome.utf8)) as? [String: Any]
        return try #require(json?["transactionId"] as? String)
    }
}
