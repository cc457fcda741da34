import Crypto
import Foundation
import TestSupport
import Testing

@Suite struct `counterfoil api` {
    /// Calls an endpoint of a server on this machine.
    private func call(_ port: UInt16, _ arguments: [String], stdin: Data = Data()) async throws -> Command.Outcome {
        try await Tool.inTemporaryFolder { folder in
            let key = folder.appending(path: "key.p8")
            try Data(P256.Signing.PrivateKey().pemRepresentation.utf8).write(to: key)
            let options = [
                "--private-key", key.path, "--key-id", "ABCDEFGHIJ", "--issuer-id",
                "57246542-96fe-1a63-e053-0824d011072a",
                "--app", "com.example.app", "--base-url", "http://127.0.0.1:\(port)",
            ]
            return try await Command.run(["api"] + arguments + options, stdin: stdin)
        }
    }

    @Test func `An answer is printed on one line, without control characters`() async throws {
        let text = "a\u{9B}31mb\u{202E}\u{E000}é\u{85}c\u{2028}d\u{2029}"
        let body = "{\r\n\t\"signedTransactionInfo\" : \"\(text)\"\r\n}"
        let server = try LoopbackServer(answer: LoopbackServer.answer("200 OK", [], Data(body.utf8)))
        defer { server.stop() }
        let outcome = try await call(server.port, ["transaction", "1"])
        #expect(outcome.status == 0)
        #expect(
            outcome.output
                == "{ \t\"signedTransactionInfo\" : \"a\\u009b31mb\\u202e\\ue000é\\u0085c\\u2028d\\u2029\" }\n")
        #expect(try outcome.object()["signedTransactionInfo"] as? String == text)
    }

    @Test(arguments: [
        ["transaction", "1"], ["transaction-history", "1"], ["transaction-history", "1", "--first-page"],
        ["finish-transaction", "1"],
    ])
    func `An answer that is not a JSON object is refused, whatever its status`(_ arguments: [String]) async throws {
        for body in ["<html>It works</html>", "\u{1B}[2J\u{1B}]0;gone\u{7}", "[]", "{"] {
            let server = try LoopbackServer(answer: LoopbackServer.answer("200 OK", [], Data(body.utf8)))
            defer { server.stop() }
            let outcome = try await call(server.port, arguments)
            #expect(outcome.status == 1)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains("undecodable_response"))
            #expect(!outcome.errors.contains("\u{1B}["))
        }
    }

    @Test func `A misspelt endpoint is answered with the intended one`() async throws {
        let misspelt = try await Command.run(["api", "transactions", "1"])
        #expect(misspelt.status == 2 && misspelt.errors.contains(#"did you mean "transaction"?"#), "\(misspelt.errors)")
        let unknown = try await Command.run(["api", "quite-another"])
        #expect(unknown.status == 2 && unknown.errors.contains("; counterfoil api --help lists them."))
    }

    @Test func `The error for an unusable answer names the member`() async throws {
        let server = try LoopbackServer(answer: LoopbackServer.answer("200 OK", [], Data(#"{"hasMore":"yes"}"#.utf8)))
        defer { server.stop() }
        let outcome = try await call(server.port, ["transaction-history", "1"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("the response has no usable hasMore"))
    }

    @Test func `A refusal of the App Store is printed with status and code`() async throws {
        let body = Data(#"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#.utf8)
        let server = try LoopbackServer(answer: LoopbackServer.answer("404 Not Found", [], body))
        defer { server.stop() }
        let outcome = try await call(server.port, ["transaction", "1"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("refused (transaction) status 404 4040010 "), "\(outcome.errors)")
    }

    @Test(
        arguments: [
            (["performance-test", "1"], "production", "; this endpoint exists in sandbox only: --environment sandbox"),
            (["performance-test", "1"], "sandbox", "; the account may have no access to the Retention Messaging API"),
            (["realtime-url"], "production", "; the account may have no access to the Retention Messaging API"),
            (["transaction", "1"], "sandbox", ""),
        ] as [([String], String, String)])
    func `The reason for a 404 without an error code fits the environment`(
        _ arguments: [String], _ environment: String, _ reason: String
    ) async throws {
        let server = try LoopbackServer(answer: LoopbackServer.answer("404 Not Found", [], Data()))
        defer { server.stop() }
        let outcome = try await call(server.port, arguments + ["--environment", environment])
        #expect(outcome.status == 1)
        #expect(
            outcome.errors == "refused (\(arguments[0])) status 404: the App Store refused the request\(reason)\n")
    }

    @Test func `A refused connection is reported at once, without attempts`() async throws {
        let port = try ClosedPort()
        defer { port.release() }
        let outcome = try await call(port.number, ["transaction", "1"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("unreachable (transaction): the connection was refused: nothing listens there"))
        #expect(!outcome.errors.contains("attempts"))
    }

    @Test(arguments: ["{", "{\"a\":1}}", "{\"a\"}", "{'a':1}"])
    func `A body that is not a JSON object is refused before it is sent`(_ body: String) async throws {
        let server = try LoopbackServer(answer: LoopbackServer.answer("200 OK", [], Data("{}".utf8)))
        defer { server.stop() }
        for (arguments, stdin) in [
            (["notification-history", "--body", body], ""), (["notification-history", "--body", "-"], body),
            (["notification-history", "--body", "-"], "[]"), (["upload-image", "1", "--body", "-"], "no image"),
        ] {
            let outcome = try await call(server.port, arguments, stdin: Data(stdin.utf8))
            #expect(outcome.status == 2)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains("which the --body is not"))
        }
        #expect(server.requests.isEmpty)
    }
}
