import AppStoreServer
import AppStoreTrust
import Basics
import Crypto
import Foundation
import StoreSimulator
import Testing

/// The parts of a good token.
private enum Good {
    static let now = Date(timeIntervalSince1970: 1_760_000_000)
    static let keyID = "ABCDEFGHIJ"
    static let issuerID = "57246542-96fe-1a63-e053-0824d011072a"
    static let bundleID = "com.example.app"
    static let header = #"{"alg":"ES256","kid":"ABCDEFGHIJ","typ":"JWT"}"#
    static let body = #""iss":"57246542-96fe-1a63-e053-0824d011072a","bid":"com.example.app""#
    static let audience = #""aud":"appstoreconnect-v1""#
    static let times = #""iat":1760000000,"exp":1760000300"#
    static let claims = "{\(body),\(audience),\(times)}"
}

@Suite struct `The bearer token of a request` {
    let key = P256.Signing.PrivateKey()

    func makeCheck(capacity: Int = 16) -> BearerCheck {
        BearerCheck(
            key: key.publicKey, keyID: Good.keyID, issuerID: Good.issuerID, bundleID: Good.bundleID, capacity: capacity)
    }

    func token(header: String = Good.header, claims: String = Good.claims) throws -> String {
        try CompactJWS.sign(header: Array(header.utf8), payload: Array(claims.utf8), with: key)
    }

    /// Why a header is refused; nil if it is good. Every refusal has to be status 401 without a code.
    func refusal(_ authorization: String?, check: BearerCheck? = nil, now: Date = Good.now) throws -> String? {
        guard let failure = try failure({ try (check ?? makeCheck()).check(authorization, now: now) }) else {
            return nil
        }
        #expect(failure.status == 401)
        #expect(failure.code == nil)
        return failure.message
    }

    @Test func `passes when our own client made it`() throws {
        let source = try APITokenSource(
            key: SigningKey(key, keyID: Good.keyID), issuerID: Good.issuerID, bundleID: Good.bundleID,
            lifetime: .seconds(3600), now: { Good.now })
        #expect(try refusal("Bearer " + (try source.token().text)) == nil)
    }

    @Test func `names its key, issuer and app byte for byte`() throws {
        #expect("\u{212A}" == "K", "Swift takes the Kelvin sign for a letter")
        let check = BearerCheck(
            key: key.publicKey, keyID: "K", issuerID: "K", bundleID: "K", capacity: 16)
        for (kid, issuer, bundle) in [
            ("\u{212A}", "K", "K"), ("K", "\u{212A}", "K"), ("K", "K", "\u{212A}"), ("K", "K", "K"),
        ] {
            let token = try token(
                header: #"{"alg":"ES256","kid":"\#(kid)"}"#,
                claims: #"{"iss":"\#(issuer)","bid":"\#(bundle)",\#(Good.audience),\#(Good.times)}"#)
            let isExact = kid.utf8.count + issuer.utf8.count + bundle.utf8.count == 3
            #expect(try (refusal("Bearer " + token, check: check) == nil) == isExact)
        }
    }

    @Test(arguments: [
        // Python and Java: no `iat`, five minutes.
        (Good.header, "{\(Good.body),\(Good.audience),\"exp\":1760000300}"),
        // The longest that can be told from now.
        (Good.header, "{\(Good.body),\(Good.audience),\"exp\":1760003600}"),
        (Good.header, "{\(Good.body),\(Good.audience),\"iat\":1760000060,\"exp\":1760003660}"),
        (Good.header, "{\(Good.body),\"aud\":[\"appstoreconnect-v1\"],\(Good.times)}"),
        (Good.header, "{\(Good.body),\(Good.audience),\"iat\":1760000000.25,\"exp\":1760000300.5}"),
        (Good.header, "{\(Good.body),\(Good.audience),\(Good.times),\"nbf\":1760000000,\"nonce\":\"x\"}"),
        (#"{"kid":"ABCDEFGHIJ","alg":"ES256"}"#, Good.claims),
        (#"{"typ":"jwt","kid":"ABCDEFGHIJ","alg":"ES256","extra":[]}"#, Good.claims),
    ])
    func `passes in every shape that Apple's libraries and other ones give it`(_ header: String, _ claims: String)
        throws
    {
        let token = try token(header: header, claims: claims)
        #expect(try refusal("Bearer \(token)") == nil)
        #expect(try refusal("bearer  \(token)") == nil)
    }

    @Test(arguments: [
        ("issuer", "{\"iss\":\"x\",\"bid\":\"com.example.app\",\(Good.audience),\(Good.times)}"),
        ("bundle", "{\"iss\":\"\(Good.issuerID)\",\"bid\":\"com.example.other\",\(Good.audience),\(Good.times)}"),
        ("audience", "{\(Good.body),\"aud\":\"appstoreconnect-v2\",\(Good.times)}"),
        ("audience", "{\(Good.body),\"aud\":[\"appstoreconnect-v1\",\"other\"],\(Good.times)}"),
        ("audience", "{\(Good.body),\"aud\":[],\(Good.times)}"),
        ("expired", "{\(Good.body),\(Good.audience),\"iat\":1759999000,\"exp\":1760000000}"),
        ("hour", "{\(Good.body),\(Good.audience),\"iat\":1760000000,\"exp\":1760003601}"),
        ("hour from now", "{\(Good.body),\(Good.audience),\"exp\":1760003601}"),
        ("future", "{\(Good.body),\(Good.audience),\"iat\":1760000061,\"exp\":1760000300}"),
        ("future", "{\(Good.body),\(Good.audience),\(Good.times),\"nbf\":1760000061}"),
        ("begins", "{\(Good.body),\(Good.audience),\"iat\":1760000000,\"exp\":1759999900}"),
        ("range", "{\(Good.body),\(Good.audience),\"iat\":1760000000,\"exp\":1760000300000}"),
        ("range", "{\(Good.body),\(Good.audience),\"iat\":-1e308,\"exp\":1e308}"),
        ("range", "{\(Good.body),\(Good.audience),\"exp\":1e308}"),
        ("range", "{\(Good.body),\(Good.audience),\"exp\":1e999}"),
        ("payload", "{\(Good.body),\(Good.audience)}"),
        ("payload", "{\(Good.body),\(Good.times)}"),
        ("payload", "{\"iss\":\"\(Good.issuerID)\",\(Good.audience),\(Good.times)}"),
        ("payload", "{\(Good.body),\(Good.audience),\"exp\":\"1760000300\"}"),
        ("payload", "{\(Good.body),\(Good.audience),\(Good.times),\"exp\":1760000301}"),
        ("payload", "[]"), ("payload", ""), ("payload", String(repeating: "[", count: 1000)),
    ])
    func `is refused for each claim that is wrong`(_ reason: String, _ claims: String) throws {
        let message = try #require(try refusal("Bearer \(try token(claims: claims))"))
        #expect(message.contains(reason))
    }

    @Test(arguments: [
        ("algorithm", #"{"alg":"none","kid":"ABCDEFGHIJ","typ":"JWT"}"#),
        ("algorithm", #"{"alg":"HS256","kid":"ABCDEFGHIJ","typ":"JWT"}"#),
        ("key identifier", #"{"alg":"ES256","kid":"JIHGFEDCBA","typ":"JWT"}"#),
        ("type", #"{"alg":"ES256","kid":"ABCDEFGHIJ","typ":"JWE"}"#),
        ("header", #"{"alg":"ES256","typ":"JWT"}"#), ("header", "null"), ("header", "\u{FEFF}{}"),
    ])
    func `is refused for each part of its header that is wrong`(_ reason: String, _ header: String) throws {
        let message = try #require(try refusal("Bearer \(try token(header: header))"))
        #expect(message.contains(reason))
    }

    @Test func `is refused when it is no token at all, or hostile`() throws {
        let good = try token()
        let parts = good.split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        let der = try P256.Signing.ECDSASignature(rawRepresentation: try #require(Base64.decodeURL(parts[2])))
            .derRepresentation
        for text in [
            nil, "", "Bearer", "Bearer ", good, "Basic \(good)", "Bearer \(good) x", "Bearer .", "Bearer ..",
            "Bearer ...", "Bearer \(parts[0]).\(parts[1])", "Bearer \(parts[0]).\(parts[1]).", "Bearer \(good).x",
            "Bearer \(parts[0]).\(parts[1]).\(Base64.encodeURL(der))", "Bearer \(good)=", "Bearer \(good.dropLast(2))",
            "Bearer é.é.é", "Bearer " + String(repeating: ".", count: 8000),
            "Bearer " + String(repeating: "a", count: 8 * 1024),
        ] as [String?] {
            #expect(try refusal(text) != nil)
        }
    }

    @Test func `is refused when another key signed it, or somebody changed it`() throws {
        let other = try CompactJWS.sign(
            header: Array(Good.header.utf8), payload: Array(Good.claims.utf8), with: P256.Signing.PrivateKey())
        #expect(try #require(try refusal("Bearer \(other)")).contains("signature"))
        let parts = try token().split(separator: ".").map(String.init)
        let longer = Base64.encodeURL(Array(Good.claims.replacing("1760000300", with: "1760000301").utf8))
        #expect(try #require(try refusal("Bearer \(parts[0]).\(longer).\(parts[2])")).contains("signature"))
    }

    @Test func `is remembered from the first time on, and only until it expires`() throws {
        let check = makeCheck()
        let header = "Bearer \(try token())"
        #expect(check.remembered == 0)
        for _ in 0..<3 { #expect(try refusal(header, check: check) == nil) }
        #expect(check.remembered == 1)
        #expect(try refusal(header, check: check, now: Good.now + 299.9) == nil)
        #expect(try refusal(header, check: check, now: Good.now + 300) != nil)
        #expect(try refusal(header, check: check, now: Good.now - 61) != nil)
        #expect(try refusal("Bearer x", check: check) != nil)
        #expect(check.remembered == 1)
    }

    @Test func `is remembered by its bytes: a text that only looks the same is no token`() throws {
        let check = makeCheck()
        let header =
            "Bearer \(try token(header: #"{"alg":"ES256","kid":"ABCDEFGHIJ","typ":"JWT","x":"((((((((("}"#))"
        #expect(try refusal(header, check: check) == nil)
        let alike = header.replacing("K", with: "\u{212A}")
        try #require(alike.utf8.count > header.utf8.count)
        #expect(alike == header, "the sign for kelvin is canonically equivalent to the letter")
        #expect(try refusal(alike, check: check) != nil)
    }

    @Test func `does not fill the memory when every request has its own`() throws {
        let check = makeCheck(capacity: 4)
        for number in 0..<10 {
            let claims = "{\(Good.body),\(Good.audience),\"exp\":\(1_760_000_300 + number)}"
            #expect(try refusal("Bearer \(try token(claims: claims))", check: check) == nil)
            #expect(check.remembered <= 4)
        }
        // Those that expired make room first.
        let late = "Bearer \(try token(claims: "{\(Good.body),\(Good.audience),\"exp\":1760002000}"))"
        #expect(try refusal(late, check: check) == nil)
    }

    @Test func `can be checked by many tasks at once`() async throws {
        let check = makeCheck()
        let header = "Bearer \(try token())"
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { try check.check(header, now: Good.now) } }
            try await group.waitForAll()
        }
        #expect(check.remembered == 1)
    }
}
