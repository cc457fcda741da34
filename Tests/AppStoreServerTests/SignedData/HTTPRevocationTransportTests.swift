import AppStoreServer
import Foundation
import TestSupport
import Testing

@Suite struct `HTTP transport for OCSP requests` {
    private func response(_ status: String, _ headers: [String] = [], body: String = "answer") async throws -> (
        answer: Data, requests: [String]
    ) {
        let answer = AsyncHTTPClientTransportTests.answer(status, headers, Data(body.utf8))
        let server = try LoopbackServer(answer: answer)
        defer { server.stop() }
        let responder = try #require(URL(string: "http://127.0.0.1:\(server.port)/ocsp"))
        let data = try await HTTPRevocationTransport().send(
            Data("question".utf8), to: responder, maximumResponseBytes: 100)
        return (data, server.requests)
    }

    @Test func `An OCSP request is posted with its media type, and the response is returned`() async throws {
        let (answer, requests) = try await response("200 OK")
        #expect(answer == Data("answer".utf8))
        let request = try #require(requests.first)
        #expect(request.hasPrefix("POST /ocsp HTTP/1.1\r\n"))
        #expect(request.contains("\r\nContent-Type: application/ocsp-request\r\n"))
        #expect(request.hasSuffix("\r\n\r\nquestion"))
    }

    @Test(arguments: ["500 No", "404 No", "302 Go"])
    func `Another status than 200 is refused, and redirects are not followed`(_ status: String) async throws {
        let elsewhere = try LoopbackServer(answer: AsyncHTTPClientTransportTests.answer("200 OK", [], Data("x".utf8)))
        defer { elsewhere.stop() }
        await #expect(throws: (any Error).self) {
            try await response(status, ["Location: http://127.0.0.1:\(elsewhere.port)/"])
        }
        #expect(elsewhere.requests.isEmpty)
    }

    /// The limits of ``RevocationOptions`` depend on this.
    @Test(.timeLimit(.minutes(10)), arguments: [nil, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"])
    func `A cancelled task ends its OCSP request, also while the response arrives`(_ answer: String?) async throws {
        let server = try LoopbackServer(answer: answer.map { Data($0.utf8) }, staysOpen: true)
        defer { server.stop() }
        let responder = try #require(URL(string: "http://127.0.0.1:\(server.port)/ocsp"))
        let task = Task {
            try await HTTPRevocationTransport().send(
                Data("question".utf8), to: responder, maximumResponseBytes: 100)
        }
        try await waitUntil("the request has arrived") { !server.requests.isEmpty }
        task.cancel()
        let result = try await waitForEnd("the request has ended") { await task.result }
        #expect(throws: (any Error).self) { try result.get() }
    }

    @Test func `An OCSP response above the size limit is refused`() async throws {
        await #expect(throws: (any Error).self) {
            try await response("200 OK", body: String(repeating: "x", count: 101))
        }
    }
}
