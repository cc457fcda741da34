import AppStoreModels
import Crypto
import Foundation
import Testing

@testable import AppStoreServer

/// One call of an endpoint, and the expected request.
struct WireCase: Sendable, CustomTestStringConvertible {
    let endpoint: String
    let request: String
    let body: String?
    let answer: String
    let status: Int
    let call: @Sendable (AppStoreServerClient) async throws -> Void
    var testDescription: String { endpoint }

    init(
        _ endpoint: String, _ request: String, body: String? = nil, answer: String = "", status: Int = 200,
        _ call: @escaping @Sendable (AppStoreServerClient) async throws -> Void
    ) {
        self.endpoint = endpoint
        self.request = request
        self.body = body
        self.answer = answer
        self.status = status
        self.call = call
    }
}

extension WireCase {
    /// Whether the response is the one of the case; false while a test damages it.
    @TaskLocal static var isIntact = true

    static func expect(_ isRight: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
        if isIntact { #expect(isRight, sourceLocation: sourceLocation) }
    }
}

@Suite("Every endpoint")
struct CallTests {
    static let cases = WireCase.server + WireCase.retention + WireCase.advancedCommerce

    @Test(arguments: cases)
    func `Every endpoint sends what Apple documents and decodes Apple's response`(_ wire: WireCase) async throws {
        let bench = try Bench(.status(wire.status, wire.answer))
        try await wire.call(bench.client)
        let request = try #require(bench.transport.requests.first)
        #expect(bench.transport.requests.count == 1)
        let url = request.url.dropFirst("https://api.storekit.apple.com".count)
        #expect(request.url.hasPrefix("https://api.storekit.apple.com/"))
        #expect("\(request.method) \(url)" == wire.request)
        if let body = wire.body {
            let sent = try #require(request.body)
            if body == "png" {
                #expect(sent == Data([0x89, 0x50, 0x4E, 0x47]))
                #expect(request.header("Content-Type") == "image/png")
            } else {
                let (sent, expected) = (try canonical(sent), try canonical(Data(body.utf8)))
                #expect(sent == expected)
                #expect(request.header("Content-Type") == "application/json")
            }
        } else {
            #expect(request.body == nil)
            #expect(request.header("Content-Type") == nil)
        }
        #expect(request.header("Accept") == "application/json")
        #expect(request.header("User-Agent") == "counterfoil/\(AppStoreServerClient.version)")
        let authorization = try #require(request.header("Authorization"))
        #expect(authorization.hasPrefix("Bearer "))
        _ = try TestKeys.open(String(authorization.dropFirst(7)), with: bench.key.publicKey)
        #expect(request.timeout == .seconds(30))
        #expect(request.maximumResponseSize == 16 * 1024 * 1024)
    }

    @Test func `Every endpoint has a case`() {
        #expect(Self.cases.map(\.endpoint) == AppStoreEndpoint.all.map(\.name))
    }

    @Test func `An endpoint can be called with text and returns the response's exact bytes`() async throws {
        let bench = try Bench(.ok(" {\"x\" : 1} "))
        let data = try await bench.client.call(.transaction, ["1"], query: [("a", "b c"), ("a", "d")])
        #expect(data == Data(" {\"x\" : 1} ".utf8))
        #expect(
            bench.transport.requests[0].url == "https://api.storekit.apple.com/inApps/v1/transactions/1?a=b%20c&a=d")
    }

    @Test(arguments: [
        "", "[]", "1", "\"a\"", "null", "{", "<html>It works</html>", "\u{1B}[2J{}", "{\"a\":\"\u{1B}[2J\"}",
        "\u{0}",
    ])
    func `A response that is not a JSON object throws an error`(_ body: String) async throws {
        let utf16 = Data("{}".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), 0] })
        for body in [Data(body.utf8), utf16] {
            let answer = Stub { _ in HTTPTransportResponse(status: 200, body: body) }
            let bench = try Bench(answer)
            let error = await failure { () async throws(AppStoreServerError) in
                try await bench.client.call(.transaction, ["1"])
            }
            #expect(error?.code == .undecodableResponse)
            #expect(error?.body == body)
            let withoutBody = await failure { () async throws(AppStoreServerError) in
                try await bench.client.call(.finishTransaction, ["1"])
            }
            #expect(withoutBody?.code == (body.isEmpty ? nil : .undecodableResponse))
        }
    }

    @Test func `Calls go to the configured host`() async throws {
        var bench = try Bench(.transaction, host: .sandbox)
        _ = try await bench.client.transaction("1")
        #expect(bench.transport.requests[0].url == "https://api.storekit-sandbox.apple.com/inApps/v1/transactions/1")
        bench = try Bench(.transaction, host: AppStoreHost(url: "http://localhost:1/x", environment: .sandbox))
        _ = try await bench.client.transaction("1")
        #expect(bench.transport.requests[0].url == "http://localhost:1/x/inApps/v1/transactions/1")
    }

    /// A log or a crash report that contains the request must not contain the token.
    @Test func `The description of a request contains no headers`() async throws {
        let bench = try Bench(.transaction)
        _ = try await bench.client.transaction("1")
        let request = try #require(bench.transport.requests.first)
        let token = try #require(request.header("authorization")?.suffix(20))
        var dumped = ""
        dump(request, to: &dumped)
        for text in ["\(request)", String(reflecting: request), dumped] {
            #expect(text.contains("GET") && text.contains(request.url) && !text.contains(token), "\(text)")
        }
    }

    @Test func `An invalid request throws an error before it is sent`() async throws {
        let bench = try Bench(.transaction)
        let far = Date(timeIntervalSince1970: .infinity)
        let history = bench.client.transactionHistory(of: "1", TransactionHistoryRequest(startDate: far))
        let notifications = bench.client.notificationHistory(NotificationHistoryRequest(startDate: far, endDate: far))
        let errors = [
            await failure { () async throws(AppStoreServerError) in try await bench.client.transaction("") },
            await failure { () async throws(AppStoreServerError) in try await bench.client.transaction("..") },
            await failure { () async throws(AppStoreServerError) in for try await _ in history {} },
            await failure { () async throws(AppStoreServerError) in for try await _ in notifications {} },
        ]
        for error in errors {
            #expect(error?.code == .invalidRequest)
            #expect(error?.attempts == 0)
            #expect(error?.endpoint != nil)
        }
        #expect(bench.transport.requests.isEmpty)
    }

    private func canonical(_ data: Data) throws -> String {
        let object = try JSONSerialization.jsonObject(with: data)
        return String(
            decoding: try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys]), as: UTF8.self)
    }
}
