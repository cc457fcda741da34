import Foundation
import TestSupport
import Testing

/// Where the commands that call a running server find it.
@Suite struct `The URL of a running server` {
    /// Calls a server on a port on which nothing listens, so the error names the URL that was used.
    private static func get(_ options: [String], url: String?) async throws -> ChildProcess.Outcome {
        var environment = ["COUNTERFOIL_KEY": "cfk_key"]
        environment["COUNTERFOIL_URL"] = url
        return try await Command.run(["server", "get", "/v1/completeness"] + options, environment: environment)
    }

    @Test func `COUNTERFOIL_URL names the server, unless --url does`() async throws {
        let variable = try await Self.get([], url: "http://127.0.0.1:9")
        #expect(variable.status == 1 && variable.errors.contains("http://127.0.0.1:9"), "\(variable.errors)")
        let option = try await Self.get(["--url", "http://127.0.0.1:1"], url: "http://127.0.0.1:9")
        #expect(option.status == 1 && option.errors.contains("http://127.0.0.1:1"), "\(option.errors)")
        #expect(!option.errors.contains("127.0.0.1:9"))
    }

    @Test func `Without a URL, or with an invalid one, the error names the variable`() async throws {
        for url in [nil, ""] {
            let missing = try await Self.get([], url: url)
            #expect(missing.status == 2 && missing.output.isEmpty)
            #expect(missing.errors.contains("with --url, or set COUNTERFOIL_URL."), "\(missing.errors)")
        }
        let invalid = try await Self.get([], url: "localhost:8080")
        #expect(invalid.status == 2 && invalid.errors.contains("COUNTERFOIL_URL takes"), "\(invalid.errors)")
    }
}
