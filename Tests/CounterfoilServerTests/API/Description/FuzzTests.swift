import CounterfoilServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

/// Runs Schemathesis, which sends valid and invalid requests according to openapi.yaml.
@Suite(.enabled(if: Schemathesis.isReady, "needs what `make api-fuzz` sets up"))
struct `Fuzzing of the API by its OpenAPI description` {
    @Test func `Schemathesis finds no server error and no deviation from openapi.yaml`() async throws {
        try await World.withAPI(server: { $0.limits.requestsPerSecond = 100_000 }) { world in
            _ = try await world.subscribe("anna")
            let examples = ProcessInfo.processInfo.environment["COUNTERFOIL_API_FUZZ"] ?? "3"
            let outcome = try await Tool.run(
                Schemathesis.path,
                [
                    "run", world.url + "/openapi.yaml", "--url", world.url, "--max-examples", examples,
                    "--header", "Authorization: Bearer \(TestAPIClient.key)", "--seed", "1", "--no-color",
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
