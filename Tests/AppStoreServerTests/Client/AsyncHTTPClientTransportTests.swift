import AppStoreModels
import Crypto
import Foundation
import TestSupport
import Testing

@testable import AppStoreServer

@Suite("The transport with AsyncHTTPClient")
struct AsyncHTTPClientTransportTests {
    static func answer(_ status: String, _ headers: [String] = [], _ body: Data) -> Data {
        LoopbackServer.answer(status, headers, body)
    }

    static func send(
        _ server: LoopbackServer, timeout: Duration = .seconds(600), limit: Int = 1000, headers: [(String, String)] = []
    ) async throws -> HTTPTransportResponse {
        var request = HTTPTransportRequest(
            method: "GET", url: "http://127.0.0.1:\(server.port)/", timeout: timeout, maximumResponseSize: limit)
        request.headers = headers
        return try await AsyncHTTPClientTransport().send(request)
    }

    @Test func `The transport sends method, path, headers and body, and returns status, headers and body`() async throws
    {
        let body = Data(#"{"requestIdentifier":"id"}"#.utf8)
        let server = try LoopbackServer(answer: Self.answer("200 OK", ["X-Test: yes"], body))
        defer { server.stop() }
        let tokens = try APITokenSource(
            key: SigningKey(P256.Signing.PrivateKey(), keyID: "K"), issuerID: "I", bundleID: "B")
        let client = AppStoreServerClient(
            tokens: tokens, host: try AppStoreHost(url: "http://127.0.0.1:\(server.port)", environment: .sandbox))
        let request = MassExtendRenewalDateRequest(
            extendByDays: 1, extendReasonCode: .other, requestIdentifier: "id", productId: "p")
        #expect(try await client.extendRenewalDates(request).requestIdentifier == "id")
        let text = try #require(server.requests.first)
        #expect(text.hasPrefix("POST /inApps/v1/subscriptions/extend/mass HTTP/1.1\r\n"))
        #expect(text.contains("\r\nAuthorization: Bearer ey"))
        #expect(text.contains("\r\nUser-Agent: counterfoil/\(AppStoreServerClient.version)\r\n"))
        #expect(text.contains("\r\nContent-Type: application/json\r\n"))
        #expect(
            text.hasSuffix(
                "\r\n\r\n" + #"{"extendByDays":1,"extendReasonCode":2,"productId":"p","requestIdentifier":"id"}"#))
        let answer = try await Self.send(server)
        #expect(answer.status == 200)
        #expect(answer.header("x-test") == "yes")
        #expect(answer.body == body)
    }

    @Test func `The transport returns responses of any status`() async throws {
        let server = try LoopbackServer(
            answer: Self.answer("429 Slow", ["Retry-After: 1700000000000"], Data("{}".utf8)))
        defer { server.stop() }
        let answer = try await Self.send(server)
        #expect(answer.status == 429)
        #expect(answer.header("Retry-After") == "1700000000000")
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `The transport does not follow redirects`(_ status: Int) async throws {
        let elsewhere = try LoopbackServer(answer: Self.answer("200 OK", [], Data("{}".utf8)))
        defer { elsewhere.stop() }
        let location = "Location: http://localhost:\(elsewhere.port)/"
        let server = try LoopbackServer(answer: Self.answer("\(status) Go", [location], Data()))
        defer { server.stop() }
        let tokens = try APITokenSource(
            key: SigningKey(P256.Signing.PrivateKey(), keyID: "K"), issuerID: "I", bundleID: "B")
        let client = AppStoreServerClient(
            tokens: tokens, host: try AppStoreHost(url: "http://127.0.0.1:\(server.port)", environment: .sandbox))
        let error = await failure { () async throws(AppStoreServerError) in
            try await client.setAppAccountToken(UUID(), of: "1")
        }
        #expect(error?.code == .unexpectedStatus)
        #expect(error?.status == status)
        #expect(error?.isRetryable == false)
        #expect(server.requests.count == 1)
        #expect(elsewhere.requests.isEmpty)
    }

    @Test func `The transport stops at the size limit, with or without Content-Length`() async throws {
        let chunk = "400\r\n" + String(repeating: "x", count: 1024) + "\r\n"
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + chunk + "0\r\n\r\n"
        for answer in [Self.answer("200 OK", [], Data(count: 1001)), Data(chunked.utf8)] {
            let server = try LoopbackServer(answer: answer)
            defer { server.stop() }
            let error = await #expect(throws: HTTPTransportError.self) { try await Self.send(server) }
            #expect(error?.code == .responseTooLarge)
        }
        let server = try LoopbackServer(answer: Self.answer("200 OK", [], Data(count: 1000)))
        defer { server.stop() }
        #expect(try await Self.send(server).body.count == 1000)
    }

    @Test(.timeLimit(.minutes(10)), arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"])
    func `A request times out if the response does not begin or does not end`(_ answer: String) async throws {
        let server = try LoopbackServer(answer: Data(answer.utf8), staysOpen: true)
        defer { server.stop() }
        let error = await #expect(throws: HTTPTransportError.self) {
            try await Self.send(server, timeout: .milliseconds(50))
        }
        #expect(error?.code == .timeout)
    }

    @Test(arguments: ["", "x", "HTTP/1.1", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"])
    func `An invalid HTTP response throws an error`(_ answer: String) async throws {
        let server = try LoopbackServer(answer: Data(answer.utf8))
        defer { server.stop() }
        await #expect(throws: (any Error).self) { try await Self.send(server) }
    }

    @Test func `An error about an invalid header does not contain its value`() async throws {
        let server = try LoopbackServer(answer: Self.answer("200 OK", [], Data()))
        defer { server.stop() }
        let error = await #expect(throws: HTTPTransportError.self) {
            try await Self.send(server, headers: [("Authorization", "Bearer secret\r\nX: y")])
        }
        #expect(error?.code == .failed)
        #expect(error?.description.contains("secret") == false)
    }

    @Test func `A refused connection is reported as refused, without waiting for the timeout`() async throws {
        let port = try ClosedPort()
        defer { port.release() }
        for host in ["127.0.0.1", "localhost"] {
            // The test does not wait for an hour.
            let request = HTTPTransportRequest(
                method: "GET", url: "http://\(host):\(port.number)/", timeout: .seconds(3600))
            let error = await #expect(throws: HTTPTransportError.self) {
                try await AsyncHTTPClientTransport().send(request)
            }
            #expect(error?.code == .connectionRefused)
            #expect(error?.message == "the connection was refused: nothing listens there")
        }
    }

    @Test func `Transport errors contain no wording of the HTTP library`() async throws {
        for answer in ["", "x", "HTTP/1.1", "HTTP/9.9 999\r\n\r\n", "\u{16}\u{3}\u{1}"] {
            let server = try LoopbackServer(answer: Data(answer.utf8))
            defer { server.stop() }
            let error = await #expect(throws: HTTPTransportError.self) { try await Self.send(server) }
            for word in ["NIO", "Error", "swift", "Optional", "("] {
                #expect(error?.message.contains(word) == false, "\(error?.message ?? "")")
            }
        }
    }

    @Test func `A cancelled task ends its request`() async throws {
        let server = try LoopbackServer(answer: nil)
        defer { server.stop() }
        let task = Task { try await Self.send(server, timeout: .seconds(600)) }
        try await waitUntil("the request has arrived") { !server.requests.isEmpty }
        task.cancel()
        let result = try await waitForEnd("the request has ended") { await task.result }
        #expect(throws: CancellationError.self) { try result.get() }
    }
}
