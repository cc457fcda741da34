import CounterfoilServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

/// Has a stranger's tool read the description and try whatever it allows, and what it does not.
@Suite(.enabled(if: Schemathesis.isReady, "needs what `make api-fuzz` sets up"))
struct `Whatever the description allows` {
    @Test func `is answered without an error of ours, and as described`() async throws {
        try await World.withAPI(server: { $0.limits.requestsPerSecond = 100_000 }) { world in
            _ = try await world.subscriber("anna")
            let examples = ProcessInfo.processInfo.environment["COUNTERFOIL_API_FUZZ"] ?? "3"
            let outcome = try await Tool.run(
                Schemathesis.path,
                [
                    "run", world.url + "/openapi.yaml", "--url", world.url, "--max-examples", examples,
                    "--header", "Authorization: Bearer \(Asker.key)", "--seed", "1", "--no-color",
                    "--checks",
                    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
                ])
            #expect(outcome.status == 0, "\(outcome.output.suffix(6000)) \(outcome.errors.suffix(2000))")
            #expect(try await world.api.get("/health/live").status == 200)
        }
    }
}

private enum Schemathesis {
    static let path = Fixtures.package.appending(path: ".build/api-fuzz-venv/bin/schemathesis").path
    static let isReady = FileManager.default.isExecutableFile(atPath: path)
}
