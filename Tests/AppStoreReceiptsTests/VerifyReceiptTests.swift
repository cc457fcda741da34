import AppStoreReceipts
import AppStoreTrust
import Foundation
import StoreSimulator
import Testing

@Suite struct `verifyReceipt` {
    /// Members that only Apple's servers can provide.
    static let onlyApple: Set<String> = ["latest_receipt", "latest_receipt_info", "pending_renewal_info"]

    @Test(.enabled(if: Fixtures.exist, Comment(rawValue: Fixtures.explanation)))
    func `The verifyReceipt response equals Apple's in every field`() throws {
        let theirs = try #require(
            try JSONSerialization.jsonObject(with: Fixtures.data("sandbox-sha1-2020.verifyreceipt.json"))
                as? [String: Any])
        // The time of Apple's response.
        let validator = ReceiptValidator(now: { Date(timeIntervalSince1970: 1_595_440_486.402) })
        let endpoint = VerifyReceiptEndpoint(validator: validator, environment: .sandbox)
        let request = VerifyReceiptRequest(receiptData: try Fixtures.text("sandbox-sha1-2020.b64"))
        let response = endpoint.response(to: request)
        let ours = try #require(try JSONSerialization.jsonObject(with: Data(response.json.utf8)) as? [String: Any])
        #expect(Set(theirs.keys).subtracting(ours.keys) == Self.onlyApple)
        #expect(Set(ours.keys).subtracting(theirs.keys).isEmpty)
        let (own, apples) = (ours as NSDictionary, theirs.filter { !Self.onlyApple.contains($0.key) } as NSDictionary)
        #expect(own == apples)
        let encoded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(response)) as? NSDictionary
        #expect(encoded == own)
    }

    @Test(.enabled(if: Fixtures.exist, Comment(rawValue: Fixtures.explanation)))
    func `The members of a verifyReceipt response are in Apple's order`() throws {
        let theirs = try Fixtures.text("sandbox-sha1-2020.verifyreceipt.json")
        let end = try #require(theirs.range(of: "\"latest_receipt_info\""))
        let request = VerifyReceiptRequest(receiptData: try Fixtures.text("sandbox-sha1-2020.b64"))
        let ours = VerifyReceiptEndpoint(validator: ReceiptValidator()).response(to: request).json
        func names(_ text: String) -> [String] {
            text.matches(of: /"([a-z_]+)"\s*:/).map { String($0.output.1) }
        }
        #expect(names(ours) == names(String(theirs[..<end.lowerBound])))
    }

    @Test func `A receipt is refused with the status of its fault, authenticity first`() throws {
        let authority = try ReceiptAuthority.shared.get()
        func receipt(_ type: String?, _ change: (inout ReceiptBuilder) -> Void = { _ in }) throws -> String {
            let payload = PayloadBuilder(type: type, purchases: [PayloadBuilder.purchase([(1707, RawDER.integer(3))])])
            var builder = ReceiptBuilder(payload: payload.bytes, authority: authority)
            change(&builder)
            return Data(try builder.bytes()).base64EncodedString()
        }
        func forge(_ builder: inout ReceiptBuilder) {
            builder.substitute = PayloadBuilder(type: "ProductionSandbox").bytes
        }
        func xcode(_ builder: inout ReceiptBuilder) {
            builder.signer = authority.xcode
            builder.certificates = [authority.xcode.der]
        }
        var endpoint = VerifyReceiptEndpoint(validator: try SyntheticReceiptTests.validator(authority))
        func status(_ text: String, _ password: String? = nil) -> Int {
            endpoint.response(to: VerifyReceiptRequest(receiptData: text, password: password)).status.rawValue
        }
        #expect(status(try receipt("Production")) == 0)
        #expect(status(try receipt("ProductionSandbox")) == 0)
        #expect(status(try receipt("Xcode", xcode)) == 21002)
        #expect(status("") == 21002)
        #expect(status("MIIB") == 21002)
        #expect(status("no base64") == 21002)
        #expect(status(try receipt("Production", forge)) == 21003)
        #expect(status(try receipt("Moon")) == 21002)
        #expect(status(try receipt(nil)) == 21002)
        endpoint.environment = .production
        #expect(status(try receipt("Production")) == 0)
        #expect(status(try receipt("ProductionVPP")) == 0)
        #expect(status(try receipt("ProductionSandbox")) == 21007)
        #expect(status(try receipt("Moon")) == 21007)
        #expect(status(try receipt(nil)) == 21007)
        #expect(status(try receipt("Production", forge)) == 21003)
        endpoint.environment = .sandbox
        #expect(status(try receipt("Production")) == 21008)
        #expect(status(try receipt("ProductionVPP")) == 21008)
        #expect(status(try receipt("ProductionVPPSandbox")) == 0)
        #expect(status(try receipt("Moon")) == 21002)
        #expect(status(try receipt(nil)) == 21002)
        endpoint.sharedSecrets = ["secret", "another"]
        #expect(status(try receipt("ProductionSandbox"), "secret") == 0)
        #expect(status(try receipt("ProductionSandbox"), "secreT") == 21004)
        #expect(status(try receipt("ProductionSandbox"), "") == 21004)
        #expect(status(try receipt("ProductionSandbox")) == 21004)
        #expect(status(try receipt("Production", forge), "secreT") == 21003)
        endpoint.validator.xcodeCertificates = try TrustAnchors(certificates: [Data(authority.xcode.der)])
        endpoint.sharedSecrets = []
        #expect(status(try receipt("Xcode", xcode)) == 21002)
        endpoint.environment = nil
        #expect(status(try receipt("Xcode", xcode)) == 0)
    }

    @Test(arguments: [
        ("GET", "{}", 21000), ("POST", "", 21002), ("POST", "[]", 21002), ("POST", "{}", 21002),
        ("POST", "{\"receipt-data\":1}", 21002), ("POST", "{\"receipt-data\":null}", 21002),
        ("POST", "{\"receipt-data\":\"\"}", 21002), ("POST", "{\"receipt-data\":\"MIIB\"", 21002),
        ("POST", String(repeating: "[", count: 100_000), 21002),
    ])
    func `An invalid verifyReceipt request is answered with a status`(_ method: String, _ body: String, _ status: Int) {
        let endpoint = VerifyReceiptEndpoint(validator: ReceiptValidator())
        let response = endpoint.response(method: method, body: Data(body.utf8))
        #expect(response.json == "{\"status\":\(status)}")
    }

    /// Attribute 1707 is the product type, and 1708 the end of a subscription period. Xcode's receipts have no type.
    @Test(
        arguments: [
            ([(1707, 1)], nil, 0), ([(1707, 0)], nil, 0), ([(1707, 2)], nil, 0), ([(1707, 3)], nil, 21004),
            ([], nil, 0), ([], "2021-01-31T23:00:00Z", 21004), ([(1707, 2)], "2021-01-31T23:00:00Z", 0),
        ] as [([(Int, Int64)], String?, Int)])
    func `Only receipts with an auto-renewable subscription need the shared secret`(
        _ types: [(Int, Int64)], _ end: String?, _ status: Int
    ) throws {
        let authority = try ReceiptAuthority.shared.get()
        var attributes: [ReceiptContents.Attribute] = []
        for (type, value) in types { attributes.append((type, RawDER.integer(value))) }
        if let end { attributes.append((1708, RawDER.ia5(end))) }
        let payload = PayloadBuilder(purchases: [PayloadBuilder.purchase(attributes)])
        let receipt = Data(try ReceiptBuilder(payload: payload.bytes, authority: authority).bytes())
        let endpoint = VerifyReceiptEndpoint(
            validator: try SyntheticReceiptTests.validator(authority), sharedSecrets: ["secret"])
        func answer(_ password: String?) -> Int {
            let request = VerifyReceiptRequest(receiptData: receipt.base64EncodedString(), password: password)
            return endpoint.response(to: request).status.rawValue
        }
        #expect(answer(nil) == status)
        // A wrong secret is refused for every receipt.
        #expect(answer("secret") == 0 && answer("other") == 21004)
    }

    @Test func `The verifyReceipt statuses have Apple's numbers`() {
        let statuses: [VerifyReceiptStatus] = [
            .valid, .notPost, .malformed, .notAuthentic, .wrongSecret, .unavailable, .expiredSubscription,
            .sandboxReceipt, .productionReceipt, .internalDataAccess, .accountNotFound,
        ]
        #expect(
            statuses.map(\.rawValue) == [
                0, 21000, 21002, 21003, 21004, 21005, 21006, 21007, 21008, 21009, 21010,
            ])
    }

    @Test func `A verifyReceipt request uses Apple's member names`() throws {
        let body = Data(#"{"receipt-data":"TUlJ\/","password":"p","exclude-old-transactions":true,"other":1}"#.utf8)
        let request = try VerifyReceiptRequest(body: body)
        #expect(request == VerifyReceiptRequest(receiptData: "TUlJ/", password: "p", excludesOldTransactions: true))
        #expect(try VerifyReceiptRequest(body: JSONEncoder().encode(request)) == request)
        let small = ReceiptLimits(bytes: 10)
        #expect(throws: refusal(.tooLarge)) { try VerifyReceiptRequest(body: body, limits: small) }
        let repeated = Data(#"{"receipt-data":"TUlJ","receipt-data":"TUlK"}"#.utf8)
        #expect(throws: refusal(.badJSON)) { try VerifyReceiptRequest(body: repeated) }
    }

    @Test(arguments: [
        ("2021-03-14T09:59:59Z", "2021-03-14 01:59:59"), ("2021-03-14T10:00:00Z", "2021-03-14 03:00:00"),
        ("2021-11-07T08:59:59Z", "2021-11-07 01:59:59"), ("2021-11-07T09:00:00Z", "2021-11-07 01:00:00"),
        ("2020-02-29T08:00:00Z", "2020-02-29 00:00:00"), ("2021-01-01T07:59:59Z", "2020-12-31 23:59:59"),
        ("1969-12-31T00:00:00Z", "1969-12-30 16:00:00"), ("2000-03-01T00:00:00Z", "2000-02-29 16:00:00"),
    ])
    func `Dates in a verifyReceipt response have Los Angeles time with daylight saving`(
        _ instant: String, _ local: String
    ) throws {
        var payload = PayloadBuilder()
        payload.set(18, RawDER.ia5(instant))
        let authority = try ReceiptAuthority.shared.get()
        let text = Data(try ReceiptBuilder(payload: payload.bytes, authority: authority).bytes())
            .base64EncodedString()
        let endpoint = VerifyReceiptEndpoint(validator: try SyntheticReceiptTests.validator(authority))
        let json = endpoint.response(to: VerifyReceiptRequest(receiptData: text)).json
        let milliseconds = Int64(try Date(instant, strategy: .iso8601).timeIntervalSince1970 * 1000)
        let plain = instant.replacing("T", with: " ").replacing("Z", with: "")
        #expect(
            json.contains(
                "\"original_purchase_date\":\"\(plain) Etc/GMT\",\"original_purchase_date_ms\":\"\(milliseconds)\",\"original_purchase_date_pst\":\"\(local) America/Los_Angeles\""
            ))
    }

    @Test func `The three forms of a date in a verifyReceipt response name the same second`() {
        var members = ReceiptMembers()
        members.add("date", Date(timeIntervalSince1970: 12.9996))
        #expect(
            OrderedJSON.object(members.all).text
                == #"{"date":"1970-01-01 00:00:13 Etc/GMT","date_ms":"13000","date_pst":"1969-12-31 16:00:13 America/Los_Angeles"}"#
        )
    }

    @Test func `A verifyReceipt response marks cancelled, promotional and volume purchases`() throws {
        var payload = PayloadBuilder(
            type: "ProductionVPP",
            purchases: [
                PayloadBuilder.purchase([
                    (1711, RawDER.integer(0)), (1712, RawDER.ia5("2021-01-15T00:00:00Z")), (1713, RawDER.integer(1)),
                    (1720, RawDER.integer(1)), (1721, RawDER.utf8("of\"fer")),
                ])
            ])
        payload.set(21, RawDER.ia5("2022-06-01T00:00:00Z"))
        let authority = try ReceiptAuthority.shared.get()
        let text = Data(try ReceiptBuilder(payload: payload.bytes, authority: authority).bytes())
            .base64EncodedString()
        let endpoint = VerifyReceiptEndpoint(
            validator: try SyntheticReceiptTests.validator(authority), environment: .production)
        let json = endpoint.response(to: VerifyReceiptRequest(receiptData: text)).json
        #expect(
            json.hasPrefix(
                #"{"status":0,"environment":"Production","receipt":{"receipt_type":"ProductionVPP","bundle_id":"com.example.app","application_version":"1.2","receipt_creation_date":"2022-01-01 00:00:00 Etc/GMT""#
            ))
        #expect(json.contains(#""expiration_date_ms":"1654041600000""#))
        #expect(
            json.hasSuffix(
                #""is_trial_period":"true","cancellation_date":"2021-01-15 00:00:00 Etc/GMT","cancellation_date_ms":"1610668800000","cancellation_date_pst":"2021-01-14 16:00:00 America/Los_Angeles","cancellation_reason":"1","promotional_offer_id":"of\"fer"}]}}"#
            ))
        #expect(!json.contains("web_order_line_item_id"))
    }

    @Test func `A transaction receipt is answered flat, and with status 21006 after its subscription has ended`() throws
    {
        let authority = try ReceiptAuthority.shared.get()
        var builder = LegacyReceiptTests.Builder(signer: authority.leaf)
        builder.info = builder.info.replacing("{", with: "{\"expires-date\" = \"1660000000000\"; ")
        let text = Data(try builder.bytes()).base64EncodedString()
        var endpoint = VerifyReceiptEndpoint(
            validator: try LegacyReceiptTests.validator(authority), environment: .production)
        endpoint.validator.now = { Date(timeIntervalSince1970: 1_659_999_999) }
        let running = endpoint.response(to: VerifyReceiptRequest(receiptData: text))
        #expect(
            running.json.hasPrefix(
                #"{"status":0,"environment":"Production","receipt":{"expires_date":"1660000000000","bid":"com.example.app""#
            ))
        endpoint.validator.now = { Date(timeIntervalSince1970: 1_660_000_000) }
        #expect(
            endpoint.response(to: VerifyReceiptRequest(receiptData: text)).json.hasPrefix(
                #"{"status":21006,"environment":"Production","receipt":{"#))
        builder.environment = "\"environment\" = \"Sandbox\";"
        let sandboxed = Data(try builder.bytes()).base64EncodedString()
        #expect(endpoint.response(to: VerifyReceiptRequest(receiptData: sandboxed)).status == .sandboxReceipt)
    }

    @Test(.enabled(if: Fixtures.exist, Comment(rawValue: Fixtures.explanation)), arguments: Fixtures.all)
    func `The receipt document has all its members in order`(_ file: String) throws {
        let receipt = try UnverifiedReceipt(base64: Fixtures.text(file)).content
        let document = ReceiptDocument(receipt)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(document.json.utf8)) as? NSDictionary)
        #expect(object == (try JSONSerialization.jsonObject(with: JSONEncoder().encode(document)) as? NSDictionary))
        #expect(object.count == 26)
        #expect(object["bundle_id"] as? String == receipt.bundleID)
        #expect(document.json.hasPrefix("{\"bundle_id\":\"\(receipt.bundleID)\",\"application_version\":"))
        if case .app(let app) = receipt {
            #expect(object["receipt_creation_date_ms"] as? Int == Int(app.creationDate.timeIntervalSince1970 * 1000))
            #expect(
                (object["in_app"] as? [NSDictionary])?.map { $0["transaction_id"] as? String }
                    == app.purchases.map(\.transactionID))
        }
    }

    @Test(.enabled(if: Fixtures.exist, Comment(rawValue: Fixtures.explanation)), arguments: Fixtures.apple)
    func `A verification error contains no bundle identifier and no part of the receipt`(_ file: String) throws {
        let text = try Fixtures.text(file)
        var validator = ReceiptValidator(bundleIDs: ["com.example.other"])
        for environment in [AppStoreEnvironment.production, .sandbox] {
            validator.environments = [environment]
            let error = #expect(throws: VerificationError.self) { try validator.validate(base64: text) }
            let reason = try #require(error).description
            #expect(!reason.contains(try UnverifiedReceipt(base64: text).content.bundleID))
            #expect(!reason.contains(text.prefix(40)))
        }
    }
}
