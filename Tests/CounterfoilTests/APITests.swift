import Crypto
import Foundation
import TestSupport
import Testing

@Suite struct `counterfoil api` {
    /// Calls an endpoint on this machine.
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

    @Test func `prints an answer on one line, and nothing in it moves a terminal's cursor`() async throws {
        let body = "{\r\n\t\"signedTransactionInfo\" : \"a\u{9B}31mb\u{202E}\u{E000}é\"\r\n}"
        let server = try LoopbackServer(answer: LoopbackServer.answer("200 OK", [], Data(body.utf8)))
        defer { server.stop() }
        let outcome = try await call(server.port, ["transaction", "1"])
        #expect(outcome.status == 0)
        #expect(outcome.output == "{ \t\"signedTransactionInfo\" : \"a\\u009b31mb\\u202e\\ue000é\" }\n")
        #expect(try outcome.object()["signedTransactionInfo"] as? String == "a\u{9B}31mb\u{202E}\u{E000}é")
    }

    @Test(arguments: [
        ["transaction", "1"], ["transaction-history", "1"], ["transaction-history", "1", "--first-page"],
        ["finish-transaction", "1"],
    ])
    func `refuses an answer that is none, whatever its status says`(_ arguments: [String]) async throws {
        for body in ["<html>It works</html>", "\u{1B}[2J\u{1B}]0;gone\u{7}", "[]", "{"] {
            let server = try LoopbackServer(answer: LoopbackServer.answer("200 OK", [], Data(body.utf8)))
            defer { server.stop() }
            let outcome = try await call(server.port, arguments)
            #expect(outcome.status == 1)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains("undecodable_answer"))
            #expect(!outcome.errors.contains("\u{1B}["))
        }
    }

    @Test func `names the member that is wrong, not the page`() async throws {
        let server = try LoopbackServer(answer: LoopbackServer.answer("200 OK", [], Data(#"{"hasMore":"yes"}"#.utf8)))
        defer { server.stop() }
        let outcome = try await call(server.port, ["transaction-history", "1"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("the answer has no usable hasMore"))
    }

    @Test func `says once that the App Store refused`() async throws {
        let body = Data(#"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#.utf8)
        let server = try LoopbackServer(answer: LoopbackServer.answer("404 Not Found", [], body))
        defer { server.stop() }
        let outcome = try await call(server.port, ["transaction", "1"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("refused (transaction) status 404 4040010 "), "\(outcome.errors)")
    }

    @Test func `says at once that nobody listens`() async throws {
        let server = try LoopbackServer(answer: nil)
        server.stop()
        let outcome = try await call(server.port, ["transaction", "1"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("unreachable (transaction): the connection was refused: nothing listens there"))
        #expect(!outcome.errors.contains("attempts"))
    }

    @Test(arguments: ["{", "{\"a\":1}}", "{\"a\"}", "{'a':1}"])
    func `sends no body that can only be refused`(_ body: String) async throws {
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
