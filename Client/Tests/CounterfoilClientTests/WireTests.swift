import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Answers requests by host, and records them.
final class StubProtocol: URLProtocol {
    struct Answer {
        var status = 200
        var headers: [String: String] = [:]
        var body = ""
    }

    private static let lock = NSLock()
    nonisolated(unsafe) private static var answers: [String: Answer] = [:]
    nonisolated(unsafe) private static var requests: [String: URLRequest] = [:]

    static func backend(
        _ answer: Answer, path: String = "", verifier: ResponseVerifier? = nil
    ) throws -> (HTTPBackend, () -> URLRequest?) {
        let host = "\(UUID().uuidString.lowercased()).test"
        lock.withLock { answers[host] = answer }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [StubProtocol.self]
        let server = try #require(URL(string: "https://\(host)\(path)"))
        let backend = HTTPBackend(
            server: server, key: "key", session: URLSession(configuration: configuration), verifier: verifier)
        return (backend, { lock.withLock { requests[host] } })
    }

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}
    override func startLoading() {
        let host = request.url?.host ?? ""
        let answer = Self.lock.withLock {
            Self.requests[host] = request
            return Self.answers[host]
        }
        guard let answer, answer.status > 0, let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: answer.status, httpVersion: "HTTP/1.1", headerFields: answer.headers)
        else {
            client?.urlProtocol(
                self, didFailWithError: URLError(answer?.status == -1 ? .timedOut : .cannotConnectToHost))
            return
        }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data(answer.body.utf8))
        client?.urlProtocolDidFinishLoading(self)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `Wire format` {
    private let answer = """
        {"object": "customer", "id": "anna/ö", "app": "com.example", "environment": "Sandbox", "as_of": 1750000000000,
         "entitlements": [{"object": "entitlement", "key": "pro", "is_active": true, "state": "active",
          "details": ["in_grace_period"], "until": 1750000600000, "will_renew": true, "product_id": "monthly",
          "transaction_id": "12", "original_transaction_id": "11"}],
         "subscriptions": [{"anything": 1}], "products": [], "purchases": [],
         "groups": [{"object": "subscription_group", "subscription_group_identifier": "G", "state": "active",
          "details": [], "until": 1750000600000, "product_id": "monthly", "original_transaction_id": "11",
          "is_eligible_for_introductory_offer": false, "next_step": "fix_payment"}],
         "consumables": [{"object": "consumable_balance", "product_id": "coins", "purchases": 1, "quantity": 5,
          "revoked_quantity": 0}],
         "product_entitlements": [{"product_id": "season", "entitlements": ["pro"], "duration_ms": 86400000}],
         "kept": ["12", "18446744073709551615"], "refused": [{"id": "13", "code": "wrong_app"},
          {"code": "bad_json", "param": "signed_transactions[3]"}]}
        """

    @Test func `A report is encoded as the server expects, and the answer is decoded`() async throws {
        let (backend, request) = try StubProtocol.backend(.init(body: answer), path: "/base/")
        var report = PurchaseReport()
        report.signedTransactions = ["a", "b"]
        report.signedRenewals = ["r"]
        report.appTransaction = "app"
        report.receipt = Data([1, 2, 3])
        report.restore = false
        report.environment = "Sandbox"
        let customer = try await backend.report(report, for: CustomerCredential(customer: "anna/ö", token: "jwt"))
        let sent = try #require(request())
        #expect(sent.httpMethod == "POST")
        #expect(
            sent.url?.absoluteString.hasSuffix(".test/base/v1/customers/anna%2F%C3%B6/purchases?environment=Sandbox")
                == true)
        #expect(sent.value(forHTTPHeaderField: "Authorization") == "Bearer key")
        #expect(sent.value(forHTTPHeaderField: "Counterfoil-Customer-Token") == "jwt")
        #expect(sent.value(forHTTPHeaderField: "Content-Type") == "application/json")
        #expect(sent.timeoutInterval == 10)
        let body = try JSONSerialization.jsonObject(with: JSONEncoder().encode(report)) as? [String: Any]
        #expect(
            Set(try #require(body).keys)
                == ["signed_transactions", "signed_renewals", "app_transaction", "receipt", "restore"])
        #expect(body?["receipt"] as? String == "AQID")
        #expect(customer.id == "anna/ö" && customer.kept == ["12", "18446744073709551615"])
        let place = "signed_transactions[3]"
        #expect(
            customer.refused == [
                RefusedItem(id: "13", code: "wrong_app"), RefusedItem(id: nil, code: "bad_json", param: place),
            ])
        #expect(customer.asOf == t0 && customer.entitlements.first?.until == t0 + 600)
        #expect(customer.groups.first?.nextStep == .fixPayment)
        #expect(customer.productEntitlements?.first?.duration == 86_400_000)
    }

    @Test func `Unknown values are omitted from a report`() throws {
        let text = String(decoding: try JSONEncoder().encode(PurchaseReport()), as: UTF8.self)
        #expect(text == #"{"signed_transactions":[]}"#)
    }

    @Test func `A customer is fetched without a request body`() async throws {
        let (backend, request) = try StubProtocol.backend(.init(body: answer))
        _ = try await backend.customer(CustomerCredential(customer: "anna", token: nil), environment: nil)
        let sent = try #require(request())
        #expect(sent.httpMethod == "GET" && sent.httpBody == nil)
        #expect(sent.url?.absoluteString.hasSuffix(".test/v1/customers/anna") == true)
        #expect(sent.value(forHTTPHeaderField: "Counterfoil-Customer-Token") == nil)
    }

    @Test func `Merges and sessions have their own routes`() async throws {
        let (backend, request) = try StubProtocol.backend(.init(body: answer))
        _ = try await backend.merge(
            CustomerCredential(customer: "a", token: "x"), into: CustomerCredential(customer: "b", token: "y"),
            environment: nil)
        #expect(request()?.url?.path == "/v1/customers/b/merge")
        let (sessions, sessionRequest) = try StubProtocol.backend(
            .init(body: #"{"customer": "c", "token": "t", "expires_at": 1}"#))
        let session = try await sessions.session(for: "c", appTransaction: "e30.e30.e30")
        #expect(session == CustomerCredential(customer: "c", token: "t"))
        #expect(sessionRequest()?.url?.path == "/v1/sessions")
    }

    @Test(arguments: [
        (
            StubProtocol.Answer(
                status: 503, headers: ["Retry-After": "7"],
                body: #"{"object": "error", "code": "busy", "message": "m", "retryable": true, "backoff_ms": 6500}"#
            ),
            BackendFailure(status: 503, code: "busy", message: "m", retryAfter: 7, isRetryable: true)
        ),
        (
            .init(
                status: 400,
                body:
                    #"{"object": "error", "code": "wrong_app", "message": "m", "retryable": false, "param": "app"}"#
            ),
            BackendFailure(status: 400, code: "wrong_app", message: "m", parameter: "app")
        ),
        (
            .init(status: 400, body: #"{"code": "bad_signature", "param": "signed_transactions[0]"}"#),
            BackendFailure(status: 400, code: "bad_signature", parameter: "signed_transactions[0]")
        ),
        (
            .init(status: 429, body: #"{"code": "rate_limited", "type": "slow", "backoff_ms": 1500}"#),
            BackendFailure(status: 429, code: "rate_limited", retryAfter: 1.5)
        ),
        (.init(status: 502, body: "<html>"), BackendFailure(status: 502, code: "http_502")),
        (.init(status: 403, body: "<html>"), BackendFailure(status: 403, code: "http_403")),
        (.init(status: 200, body: "<html>"), .invalidResponse), (.init(status: 200, body: ""), .invalidResponse),
        (.init(status: 0), .noConnection), (.init(status: -1), .timeout),
    ])
    func `A failure has the answer's status, code, parameter and pause`(
        _ answer: StubProtocol.Answer, _ failure: BackendFailure
    ) async throws {
        let (backend, _) = try StubProtocol.backend(answer)
        await #expect(throws: failure) {
            try await backend.customer(CustomerCredential(customer: "anna", token: nil), environment: nil)
        }
    }

    @Test(arguments: [#"{"id": "anna""#, #"{"id": "anna", "entitlements": [], "groups": [], "consumables": []}"#])
    func `JSON that does not describe a customer is an invalid response, and the message says why`(
        _ body: String
    ) async throws {
        let (backend, _) = try StubProtocol.backend(.init(body: body))
        let failure = await #expect(throws: BackendFailure.self) {
            try await backend.customer(CustomerCredential(customer: "anna", token: nil), environment: nil)
        }
        #expect(failure?.code == "invalid_response" && failure?.status == nil)
        #expect(failure?.message.isEmpty == false)
        if body.hasSuffix("}") { #expect(failure?.message.contains("asOf") == true) }
    }

    @Test(
        arguments: [
            ("Wed, 21 Oct 2015 07:28:00 GMT", "Wed, 21 Oct 2015 07:26:30 GMT", 90),
            ("Wed, 21 Oct 2015 07:28:00 GMT", "Thu, 22 Oct 2015 07:28:00 GMT", -86_400),
            ("Wed, 21 Oct 2015 07:28:00 GMT", nil, nil), ("soon", "Wed, 21 Oct 2015 07:26:30 GMT", nil),
        ] as [(String, String?, TimeInterval?)])
    func `A Retry-After date is relative to the answer's date, not to the device's clock`(
        _ end: String, _ date: String?, _ pause: TimeInterval?
    ) async throws {
        var headers = ["Retry-After": end]
        headers["Date"] = date
        let (backend, _) = try StubProtocol.backend(.init(status: 503, headers: headers))
        await #expect(throws: BackendFailure(status: 503, code: "http_503", retryAfter: pause)) {
            try await backend.customer(CustomerCredential(customer: "anna", token: nil), environment: nil)
        }
    }

    @Test func `A signed transaction is decoded like on the server`() throws {
        let text = subscription(12, expires: t0 + day, token: UUID(uuidString: anna), environment: "Production").jws
        let transaction = try #require(DeviceTransaction(jws: text, isVerified: true))
        #expect(
            transaction == subscription(12, expires: t0 + day, token: UUID(uuidString: anna), environment: "Production")
        )
    }

    @Test(arguments: ["", "a.b", "e30.e30.e30", "a.%%%.c", "....", "e30.W10.e30"])
    func `A text that is not a signed transaction is refused`(_ text: String) {
        #expect(DeviceTransaction(jws: text, isVerified: true) == nil)
    }

    @Test func `A transaction's ownership is purchased, shared or assigned`() throws {
        for (text, ownership) in [
            ("PURCHASED", Ownership.purchased), ("FAMILY_SHARED", .familyShared), ("ASSIGNED", .assigned),
        ] {
            let payload = """
                {"transactionId": "1", "productId": "p", "type": "Consumable", "purchaseDate": 1, "signedDate": 1,
                 "inAppOwnershipType": "\(text)"}
                """
            let encoded = Data(payload.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
            #expect(DeviceTransaction(jws: "e30.\(encoded).e30", isVerified: true)?.ownership == ownership)
        }
    }

    @Test func `A record that an earlier version saved is read`() throws {
        let text = """
            {"customer": "anna", "reported": [1, {"signedDate": 0, "date": 0, "isKept": true}], "refused": [7,
             {"code": "bad_signature", "signedDate": 0, "date": 0, "appVersion": "1.0"}], "renewals": [], "foreign": [5],
             "wasReceiptSent": true, "wasHistorySent": false}
            """
        let record = try JSONDecoder().decode(CustomerRecord.self, from: Data(text.utf8))
        #expect(record.reported[1]?.isKept == true && record.refused[7]?.code == "bad_signature")
        #expect(record.refused[7]?.appVersion == "1.0" && record.foreign == [5])
    }

    @Test func `Saved records are decoded without loss`() throws {
        var harness = Harness.signedIn()
        let odd = Date(timeIntervalSince1970: 1_750_000_000.123)
        harness.gather(
            unfinished: [subscription(signed: odd), lifetime(), coins(token: nil)],
            statuses: [status(subscription(), signed: odd)])
        let answered = try CustomerResponse.decoder.decode(CustomerResponse.self, from: Data(answer.utf8))
        harness.answerAll {
            $0 = answered
            $0.id = anna
            $0.kept = ["1"]
            $0.refused = [
                RefusedItem(id: "5", code: "receipt_already_in_use"), RefusedItem(id: "7", code: "bad_signature"),
            ]
        }
        let foundRecord = harness.record
        let record = try #require(foundRecord)
        #expect(record.reported.count == 2 && record.refused.count == 1 && record.foreign == [5])
        let again = try JSONDecoder().decode(CustomerRecord.self, from: JSONEncoder().encode(record))
        #expect(again == record)
    }
}
