import AppStoreServer
import AppStoreTrust
import Basics
import Crypto
import Foundation
import StoreSimulator
import Testing

/// The parts of a valid token.
private enum Valid {
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
            key: key.publicKey, keyID: Valid.keyID, issuerID: Valid.issuerID, bundleID: Valid.bundleID,
            capacity: capacity)
    }

    func token(header: String = Valid.header, claims: String = Valid.claims) throws -> String {
        try CompactJWS.sign(header: Array(header.utf8), payload: Array(claims.utf8), with: key)
    }

    /// Returns the reason for which a header is refused, or nil if it is accepted.
    /// Expects every refusal to have status 401 without a code.
    func refusal(_ authorization: String?, check: BearerCheck? = nil, now: Date = Valid.now) throws -> String? {
        guard let failure = try failure({ try (check ?? makeCheck()).check(authorization, now: now) }) else {
            return nil
        }
        #expect(failure.status == 401)
        #expect(failure.code == nil)
        return failure.message
    }

    @Test func `A token of APITokenSource is accepted`() throws {
        let source = try APITokenSource(
            key: SigningKey(key, keyID: Valid.keyID), issuerID: Valid.issuerID, bundleID: Valid.bundleID,
            lifetime: .seconds(3600), now: { Valid.now })
        #expect(try refusal("Bearer " + (try source.token().text)) == nil)
    }

    @Test func `Key ID, issuer ID and bundle ID are compared byte for byte`() throws {
        #expect("\u{212A}" == "K", "Swift compares the Kelvin sign and the letter K as equal")
        let check = BearerCheck(
            key: key.publicKey, keyID: "K", issuerID: "K", bundleID: "K", capacity: 16)
        for (kid, issuer, bundle) in [
            ("\u{212A}", "K", "K"), ("K", "\u{212A}", "K"), ("K", "K", "\u{212A}"), ("K", "K", "K"),
        ] {
            let token = try token(
                header: #"{"alg":"ES256","kid":"\#(kid)"}"#,
                claims: #"{"iss":"\#(issuer)","bid":"\#(bundle)",\#(Valid.audience),\#(Valid.times)}"#)
            let isExact = kid.utf8.count + issuer.utf8.count + bundle.utf8.count == 3
            #expect(try (refusal("Bearer " + token, check: check) == nil) == isExact)
        }
    }

    @Test(arguments: [
        // Python and Java: no `iat`, five minutes.
        (Valid.header, "{\(Valid.body),\(Valid.audience),\"exp\":1760000300}"),
        // The longest lifetime that is accepted: one hour from now, or from an `iat` at most 60 seconds ahead.
        (Valid.header, "{\(Valid.body),\(Valid.audience),\"exp\":1760003600}"),
        (Valid.header, "{\(Valid.body),\(Valid.audience),\"iat\":1760000060,\"exp\":1760003660}"),
        (Valid.header, "{\(Valid.body),\"aud\":[\"appstoreconnect-v1\"],\(Valid.times)}"),
        (Valid.header, "{\(Valid.body),\(Valid.audience),\"iat\":1760000000.25,\"exp\":1760000300.5}"),
        (Valid.header, "{\(Valid.body),\(Valid.audience),\(Valid.times),\"nbf\":1760000000,\"nonce\":\"x\"}"),
        (#"{"kid":"ABCDEFGHIJ","alg":"ES256"}"#, Valid.claims),
        (#"{"typ":"jwt","kid":"ABCDEFGHIJ","alg":"ES256","extra":[]}"#, Valid.claims),
    ])
    func `Tokens in the shapes that Apple's and other client libraries write are accepted`(
        _ header: String, _ claims: String
    )
        throws
    {
        let token = try token(header: header, claims: claims)
        #expect(try refusal("Bearer \(token)") == nil)
        #expect(try refusal("bearer  \(token)") == nil)
    }

    @Test(arguments: [
        ("issuer", "{\"iss\":\"x\",\"bid\":\"com.example.app\",\(Valid.audience),\(Valid.times)}"),
        ("bundle", "{\"iss\":\"\(Valid.issuerID)\",\"bid\":\"com.example.other\",\(Valid.audience),\(Valid.times)}"),
        ("audience", "{\(Valid.body),\"aud\":\"appstoreconnect-v2\",\(Valid.times)}"),
        ("audience", "{\(Valid.body),\"aud\":[\"appstoreconnect-v1\",\"other\"],\(Valid.times)}"),
        ("audience", "{\(Valid.body),\"aud\":[],\(Valid.times)}"),
        ("expired", "{\(Valid.body),\(Valid.audience),\"iat\":1759999000,\"exp\":1760000000}"),
        ("hour", "{\(Valid.body),\(Valid.audience),\"iat\":1760000000,\"exp\":1760003601}"),
        ("hour from now", "{\(Valid.body),\(Valid.audience),\"exp\":1760003601}"),
        ("future", "{\(Valid.body),\(Valid.audience),\"iat\":1760000061,\"exp\":1760000300}"),
        ("future", "{\(Valid.body),\(Valid.audience),\(Valid.times),\"nbf\":1760000061}"),
        ("begins", "{\(Valid.body),\(Valid.audience),\"iat\":1760000000,\"exp\":1759999900}"),
        ("range", "{\(Valid.body),\(Valid.audience),\"iat\":1760000000,\"exp\":1760000300000}"),
        ("range", "{\(Valid.body),\(Valid.audience),\"iat\":-1e308,\"exp\":1e308}"),
        ("range", "{\(Valid.body),\(Valid.audience),\"exp\":1e308}"),
        ("range", "{\(Valid.body),\(Valid.audience),\"exp\":1e999}"),
        ("payload", "{\(Valid.body),\(Valid.audience)}"),
        ("payload", "{\(Valid.body),\(Valid.times)}"),
        ("payload", "{\"iss\":\"\(Valid.issuerID)\",\(Valid.audience),\(Valid.times)}"),
        ("payload", "{\(Valid.body),\(Valid.audience),\"exp\":\"1760000300\"}"),
        ("payload", "{\(Valid.body),\(Valid.audience),\(Valid.times),\"exp\":1760000301}"),
        ("payload", "[]"), ("payload", ""), ("payload", String(repeating: "[", count: 1000)),
    ])
    func `A token with a wrong claim is refused with the matching reason`(_ reason: String, _ claims: String) throws {
        let message = try #require(try refusal("Bearer \(try token(claims: claims))"))
        #expect(message.contains(reason))
    }

    @Test(arguments: [
        ("algorithm", #"{"alg":"none","kid":"ABCDEFGHIJ","typ":"JWT"}"#),
        ("algorithm", #"{"alg":"HS256","kid":"ABCDEFGHIJ","typ":"JWT"}"#),
        ("key identifier", #"{"alg":"ES256","kid":"JIHGFEDCBA","typ":"JWT"}"#),
        ("type", #"{"alg":"ES256","kid":"ABCDEFGHIJ","typ":"JWE"}"#),
        ("crit", #"{"alg":"ES256","kid":"ABCDEFGHIJ","crit":["x"],"x":1}"#),
        ("header", #"{"alg":"ES256","typ":"JWT"}"#), ("header", "null"), ("header", "\u{FEFF}{}"),
    ])
    func `A token with a wrong header field is refused with the matching reason`(_ reason: String, _ header: String)
        throws
    {
        let message = try #require(try refusal("Bearer \(try token(header: header))"))
        #expect(message.contains(reason))
    }

    @Test func `A missing, malformed or oversized Authorization header is refused`() throws {
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

    @Test func `A token signed with another key, or changed after signing, is refused for its signature`() throws {
        let other = try CompactJWS.sign(
            header: Array(Valid.header.utf8), payload: Array(Valid.claims.utf8), with: P256.Signing.PrivateKey())
        #expect(try #require(try refusal("Bearer \(other)")).contains("signature"))
        let parts = try token().split(separator: ".").map(String.init)
        let longer = Base64.encodeURL(Array(Valid.claims.replacing("1760000300", with: "1760000301").utf8))
        #expect(try #require(try refusal("Bearer \(parts[0]).\(longer).\(parts[2])")).contains("signature"))
    }

    @Test func `An accepted token stays in the cache, and is refused once it has expired`() throws {
        let check = makeCheck()
        let header = "Bearer \(try token())"
        #expect(check.cachedTokens == 0)
        for _ in 0..<3 { #expect(try refusal(header, check: check) == nil) }
        #expect(check.cachedTokens == 1)
        #expect(try refusal(header, check: check, now: Valid.now + 299.9) == nil)
        #expect(try refusal(header, check: check, now: Valid.now + 300) != nil)
        #expect(try refusal(header, check: check, now: Valid.now - 61) != nil)
        #expect(try refusal("Bearer x", check: check) != nil)
        #expect(check.cachedTokens == 1)
    }

    @Test func `The token cache compares bytes: a canonically equivalent text is refused`() throws {
        let check = makeCheck()
        let header =
            "Bearer \(try token(header: #"{"alg":"ES256","kid":"ABCDEFGHIJ","typ":"JWT","x":"((((((((("}"#))"
        #expect(try refusal(header, check: check) == nil)
        let alike = header.replacing("K", with: "\u{212A}")
        try #require(alike.utf8.count > header.utf8.count)
        #expect(alike == header, "the Kelvin sign is canonically equivalent to the letter K")
        #expect(try refusal(alike, check: check) != nil)
    }

    @Test func `The token cache never exceeds its capacity`() throws {
        let check = makeCheck(capacity: 4)
        for number in 0..<10 {
            let claims = "{\(Valid.body),\(Valid.audience),\"exp\":\(1_760_000_300 + number)}"
            #expect(try refusal("Bearer \(try token(claims: claims))", check: check) == nil)
            #expect(check.cachedTokens <= 4)
        }
        // A full cache accepts a further token.
        let late = "Bearer \(try token(claims: "{\(Valid.body),\(Valid.audience),\"exp\":1760002000}"))"
        #expect(try refusal(late, check: check) == nil)
    }

    @Test func `Concurrent checks accept one token and cache it once`() async throws {
        let check = makeCheck()
        let header = "Bearer \(try token())"
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { try check.check(header, now: Valid.now) } }
            try await group.waitForAll()
        }
        #expect(check.cachedTokens == 1)
    }

    @Test func `A token of a revoked or replaced key is refused, although it was accepted before`() throws {
        let header = "Bearer \(try token())"
        for change in [
            { $0.revoke(keyID: Valid.keyID) },
            { $0.accept(P256.Signing.PrivateKey().publicKey, keyID: Valid.keyID) },
        ] as [(BearerCheck) -> Void] {
            let check = makeCheck()
            #expect(try refusal(header, check: check) == nil)
            change(check)
            #expect(try refusal(header, check: check) != nil)
        }
    }

    @Test func `A token that is being checked while its key is revoked is refused from then on`() async throws {
        let header = "Bearer \(try token())"
        for _ in 0..<100 {
            let check = makeCheck()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { _ = try failure { try check.check(header, now: Valid.now) } } }
                group.addTask { check.revoke(keyID: Valid.keyID) }
                try await group.waitForAll()
            }
            #expect(try refusal(header, check: check) != nil)
        }
    }
}
