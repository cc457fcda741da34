import AppStoreModels
import Foundation
import TestSupport
import Testing

@testable import AppStoreServer

@Suite struct `Errors of the App Store` {
    // The codes that Apple documents as retryable.
    static let retryable: Set<Int64> = [
        4_040_002, 4_040_004, 4_040_006, 4_040_008, 4_290_000, 5_000_000, 5_000_001,
    ]

    @Test func `Every documented error code has its status, name and whether it is retryable`() async throws {
        #expect(APIErrorCode.known.count > 200)
        for code in APIErrorCode.known {
            let bench = try Bench(.apiError(code.rawValue)) { $0.retry = .never }
            let error = await failure { () async throws(AppStoreServerError) in
                try await bench.client.transaction("1")
            }
            #expect(error?.apiCode == code)
            #expect(error?.status == code.httpStatus)
            #expect(error?.apiMessage == "Message \(code.rawValue)")
            #expect(error?.isRetryable == Self.retryable.contains(code.rawValue), "\(code.rawValue)")
            #expect(error?.endpoint == "transaction")
            #expect(error?.attempts == 1)
            let expected: AppStoreServerError.Code =
                switch code.rawValue / 10_000 {
                case 429: .rateLimited
                case 500...599: .serverFailure
                default: .refused
                }
            #expect(error?.code == expected)
        }
        #expect(Self.retryable.isSubset(of: APIErrorCode.known.map(\.rawValue)))
    }

    @Test func `An unknown error code keeps its number and is retryable by its status`() async throws {
        for (code, isRetryable) in [(4_049_999, false), (5_009_999, true)] as [(Int64, Bool)] {
            let bench = try Bench(.apiError(code)) { $0.retry = .never }
            let error = await failure { () async throws(AppStoreServerError) in
                try await bench.client.transaction("1")
            }
            #expect(error?.apiCode?.rawValue == code)
            #expect(error?.isRetryable == isRetryable)
        }
    }

    @Test(arguments: [
        "", "null", "[]", "<html>", "{", "{}", #"{"errorCode":"x"}"#, #"{"errorCode":1.5}"#,
        #"{"errorCode":99999999999999999999999}"#, #"{"errorMessage":"m"}"#, "\u{0}", "{\"errorCode\":null}",
    ])
    func `An error without a readable body has only a status`(_ body: String) async throws {
        for (status, code) in [
            (400, AppStoreServerError.Code.refused), (401, .unauthorized), (403, .refused), (404, .refused),
            (409, .refused), (429, .rateLimited), (500, .serverFailure), (503, .serverFailure),
            (302, .unexpectedStatus), (304, .unexpectedStatus), (199, .unexpectedStatus), (600, .unexpectedStatus),
            (0, .unexpectedStatus), (-1, .unexpectedStatus), (Int.max, .unexpectedStatus),
        ] {
            let bench = try Bench(.status(status, body)) { $0.retry = .never }
            let error = await failure { () async throws(AppStoreServerError) in
                try await bench.client.transaction("1")
            }
            #expect(error?.code == code)
            #expect(error?.status == status)
            #expect(error?.apiCode == nil)
            #expect(error?.body == Data(body.utf8))
        }
    }

    /// The App Store sends milliseconds since 1970. A proxy in front of it sends seconds or a date.
    @Test(arguments: ["60", "86400", "1700000000", "4294967295", "0", "-1", "Wed, 21 Oct 2015 07:28:00 GMT"])
    func `An error has no instant for a Retry-After that is not in the App Store's form`(_ value: String) async throws {
        for status in [429, 503] {
            let bench = try Bench(.status(status, "", [("Retry-After", value)])) { $0.retry = .never }
            let error = await failure { () async throws(AppStoreServerError) in
                try await bench.client.transaction("1")
            }
            #expect(error?.status == status)
            #expect(error?.retryAfter == nil)
        }
    }

    /// A machine with a wrong clock signs tokens that have expired or are not valid yet.
    @Test func `An error for a refused token names key and clock as possible causes`() async throws {
        let bench = try Bench(.status(401, "")) { $0.retry = .never }
        let error = await bench.transactionError()
        #expect(error?.code == .unauthorized)
        #expect(error?.message.hasSuffix("check the key, and this machine's clock") == true)
    }

    @Test func `Message and body of an error are truncated`() async throws {
        let text = String(repeating: "x", count: 10_000)
        let bench = try Bench(.status(400, #"{"errorCode":4000006,"errorMessage":"\#(text)"}"#))
        let error = await bench.transactionError()
        #expect(error?.apiMessage?.count == 500)
        #expect(error?.body.count == AppStoreServerError.maximumBodySize)
        #expect(error?.apiCode == .invalidTransactionId)
    }

    @Test func `Errors never contain the token, even if the server returns it`() async throws {
        let echo = Stub { request in
            let token = request.header("Authorization") ?? ""
            let padding = String(repeating: "x", count: AppStoreServerError.maximumBodySize - 200)
            let body = #"{"errorCode":4000006,"errorMessage":"\#(token)","p":"\#(padding)","t":"\#(token)"}"#
            return HTTPTransportResponse(status: 400, body: Data(body.utf8))
        }
        let leak = Stub { request in
            throw HTTPTransportError(.failed, "sent \(request.headers)")
        }
        for stub in [echo, leak] {
            let bench = try Bench(stub) { $0.retry = .never }
            let error = await failure { () async throws(AppStoreServerError) in
                try await bench.client.transaction("1")
            }
            let header = try #require(bench.transport.requests[0].header("Authorization"))
            let token = header.dropFirst("Bearer ".count)
            var dumped = ""
            dump(try #require(error), to: &dumped)
            let body = String(decoding: error?.body ?? Data(), as: UTF8.self)
            for text in [dumped, "\(error as Any)", body, error?.apiMessage ?? ""] {
                #expect(!text.contains(token.prefix(40)))
                #expect(!text.contains(token.suffix(20)))
            }
        }
    }

    /// Another server or a proxy may respond to any request with a success that contains the headers of the request.
    @Test func `The body of a success that cannot be decoded is stored without the token`() async throws {
        let bench = try Bench(
            Stub { request in
                let body = #"["\#(request.header("Authorization") ?? "")"]"#
                return HTTPTransportResponse(status: 200, body: Data(body.utf8))
            })
        let decoded = await bench.transactionError()
        let called = await failure { () async throws(AppStoreServerError) in
            try await bench.client.call(.transaction, ["1"])
        }
        for error in [decoded, called] {
            #expect(error?.code == .undecodableResponse)
            #expect(String(decoding: error?.body ?? Data(), as: UTF8.self) == #"["Bearer [hidden]"]"#)
        }
    }

    /// The accent belongs to the last character of the token, so a comparison of characters does not find the token.
    @Test func `Errors never contain the token, even if a combining accent follows it`() async throws {
        let echo = Stub { request in
            let body = #"{"errorCode":4000006,"errorMessage":"\#(request.header("Authorization") ?? "")\u0301!"}"#
            return HTTPTransportResponse(status: 400, body: Data(body.utf8))
        }
        let leak = Stub { request in
            throw HTTPTransportError(.failed, "\(request.header("Authorization") ?? "")\u{301}!")
        }
        for stub in [echo, leak] {
            let bench = try Bench(stub) { $0.retry = .never }
            let error = await failure { () async throws(AppStoreServerError) in
                try await bench.client.transaction("1")
            }
            let message = try #require(error?.apiMessage ?? error?.message)
            #expect(message.utf8.elementsEqual("Bearer [hidden]\u{301}!".utf8))
        }
    }

    @Test func `A transport error is retryable unless the response is too large`() {
        for code in [HTTPTransportError.Code.timeout, .connectionRefused, .failed] {
            #expect(HTTPTransportError(code, "").isRetryable, "\(code)")
        }
        #expect(!HTTPTransportError(.responseTooLarge, "").isRetryable)
    }

    @Test func `Transport errors are equal if their codes are equal`() {
        let (timeout, same) = (HTTPTransportError(.timeout, "in 5 s"), HTTPTransportError(.timeout, "in 30 s"))
        #expect(timeout == same && timeout != HTTPTransportError(.failed, "in 5 s"))
        #expect(Set([timeout, same]).count == 1)
    }

    @Test func `An error is described in one line`() async throws {
        let bench = try Bench(.apiError(4_040_010))
        let error = await bench.transactionError()
        #expect(
            error?.description == "refused (transaction) status 404 4040010 TransactionIdNotFound: Message 4040010")
    }

    @Test func `The description of an error is one line even if the server's message has several`() async throws {
        let body = Data(#"{"errorCode":4040010,"errorMessage":"a\nb\u001b[2J"}"#.utf8)
        let bench = try Bench(Stub { _ in HTTPTransportResponse(status: 404, body: body) })
        let error = await bench.transactionError()
        #expect(error?.apiMessage == "a\nb\u{1B}[2J")
        #expect(error?.description.hasSuffix(#": a\u{a}b\u{1b}[2J"#) == true)
    }

    @Test(arguments: [
        "", " ", "null", "true", "1", "\"a\"", "[]", "{}", "{", "}", "[[[[", "{\"signedTransactionInfo\":1}",
        "{\"signedTransactionInfo\":null}", "{\"signedTransactionInfo\":[]}", "<html></html>", "\u{FEFF}{}",
        "{\"signedTransactionInfo\":\"\\ud800\"}", String(repeating: "[", count: 100_000),
        String(repeating: "{\"a\":", count: 100_000), "{\"signedTransactionInfo\":1e999999}", "\u{0}\u{1}",
    ])
    func `An undecodable response throws an error with its body`(_ body: String) async throws {
        let bench = try Bench(.ok(body))
        let error = await bench.transactionError()
        #expect(error?.code == .undecodableResponse)
        #expect(error?.isRetryable == false)
        #expect(error?.body == Data(body.utf8).prefix(AppStoreServerError.maximumBodySize))
    }

    @Test func `An undecodable response counts all attempts`() async throws {
        let scripts: [[Stub]] = [[.ok("{")], [.status(500), .status(401), .apiError(4_290_000), .ok("{")]]
        for stubs in scripts {
            var bench = try Bench(StubTransport(stubs.map(\.reply)))
            let decoded = await failure { [bench] () async throws(AppStoreServerError) in
                try await bench.client.transaction("1")
            }
            #expect(decoded?.code == .undecodableResponse)
            #expect(decoded?.attempts == stubs.count)
            bench = try Bench(StubTransport(stubs.map(\.reply)))
            let raw = await failure { [bench] () async throws(AppStoreServerError) in
                try await bench.client.call(.transaction, ["1"])
            }
            #expect(raw?.attempts == stubs.count)
        }
    }

    @Test func `An undecodable response names the missing field`() async throws {
        let bench = try Bench(
            .ok(#"{"revision":"r","hasMore":false,"bundleId":"b","environment":"X","signedTransactions":["a",7]}"#))
        let error = await failure { () async throws(AppStoreServerError) in
            for try await _ in bench.client.transactionHistory(of: "1") {}
        }
        #expect(error?.message == "the response has no usable signedTransactions.1")
    }

    @Test func `Mutated responses of any endpoint throw documented errors`() async throws {
        var generator = SeededGenerator(seed: 1)
        var thrown = 0
        for wire in CallTests.cases where !wire.answer.isEmpty {
            var bytes = Array(wire.answer.utf8)
            for round in 0..<40 {
                if round.isMultiple(of: 2) {
                    bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
                } else {
                    bytes = Array(wire.answer.utf8.prefix(Int.random(in: 0...bytes.count, using: &generator))) + [0x7D]
                }
                let answer = HTTPTransportResponse(status: 200, body: Data(bytes))
                let bench = try Bench(Stub { _ in answer })
                // Whether it throws depends on the mutation; which errors it may throw does not.
                do { try await WireCase.$isIntact.withValue(false) { try await wire.call(bench.client) } } catch {
                    thrown += 1
                    let code = (error as? AppStoreServerError)?.code
                    #expect(code == .undecodableResponse || code == .invalidPagination, "\(error)")
                }
            }
        }
        #expect(thrown > CallTests.cases.count)
    }
}

@Suite struct `Response size limit` {
    @Test func `A response may have 16 MiB, and one byte more is an error`() async throws {
        let object = Data("{".utf8) + Data(repeating: UInt8(ascii: " "), count: 16 << 20 - 2) + Data("}".utf8)
        let fits = HTTPTransportResponse(status: 200, body: object)
        let tooLarge = HTTPTransportResponse(status: 200, body: Data(count: 16 << 20 + 1))
        var bench = try Bench(Stub { _ in fits })
        #expect(try await bench.client.call(.transaction, ["1"]).count == 16 << 20)
        bench = try Bench(Stub { _ in tooLarge })
        var error = await failure { () async throws(AppStoreServerError) in
            try await bench.client.call(.transaction, ["1"])
        }
        #expect(error?.code == .responseTooLarge)
        #expect(bench.transport.requests.count == 1)
        bench = try Bench(.failure(HTTPTransportError(.responseTooLarge, "more")))
        error = await failure { () async throws(AppStoreServerError) in
            try await bench.client.call(.transaction, ["1"])
        }
        #expect(error?.code == .responseTooLarge)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `The maximum size of responses is configurable`() async throws {
        let bench = try Bench(.transaction) { $0.maximumResponseSize = 10 }
        let error = await bench.transactionError()
        #expect(error?.code == .responseTooLarge)
        #expect(bench.transport.requests[0].maximumResponseSize == 10)
    }
}
