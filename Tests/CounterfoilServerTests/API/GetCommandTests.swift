import Foundation
import StoreSimulator
import TestSupport
import Testing

/// Runs `counterfoil server get` as a process against a server.
@Suite struct `counterfoil server get` {
    private static func run(_ arguments: [String], _ url: String) async throws -> ChildProcess.Outcome {
        try await ServerProcess.run(
            ["server", "get"] + arguments + ["--url", url], environment: ["COUNTERFOIL_KEY": TestAPIClient.key])
    }

    @Test func `The get command prints the body of the answer unchanged`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let outcome = try await Self.run(["/v1/customers/\(anna)"], world.url)
            let printed = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
            #expect(outcome.status == 0 && printed?["id"] as? String == anna, "\(outcome.output)")
            let table = try await Self.run(["/v1/audit?format=csv"], world.url + "/")
            #expect(table.status == 0 && table.output.hasPrefix("id,at,actor,"))
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.waitUntilIdle()
            let path = "/v1/segments/will_not_renew?format=csv"
            let answer = try await world.api.get(path)
            let members = try await Self.run([path], world.url)
            #expect(Data(members.output.utf8) == answer.body && answer.text.hasSuffix("\r\n"))
        }
    }

    @Test func `The get command prints server errors and accepts paths below v1 only`() async throws {
        try await World.withAPI { world in
            let missing = try await Self.run(["/v1/notifications/none"], world.url)
            #expect(missing.status == 1 && missing.output.isEmpty && missing.errors.contains("404: "))
            for path in ["v1/completeness", "@evil.example/v1/x", "/v1/a b", "/v1/ä", "/v1/x#y", "/metrics", ""] {
                #expect(try await Self.run([path], world.url).status == 2, "\(path)")
            }
            let silent = try await Self.run(["/v1/completeness"], "http://127.0.0.1:1")
            #expect(silent.status == 1 && silent.errors.contains("does not answer"))
        }
    }
}
