import Crypto
import Foundation
import Synchronization
import Testing

@testable import AppStoreServer

/// A date that moves only when a test moves it.
final class ManualDate: Sendable {
    private let date: Mutex<Date>
    init(_ seconds: TimeInterval) { date = Mutex(Date(timeIntervalSince1970: seconds)) }
    var now: @Sendable () -> Date { { self.date.withLock { $0 } } }
    func advance(by seconds: TimeInterval) { date.withLock { $0 += seconds } }
}

@Suite struct `API tokens` {
    let key = P256.Signing.PrivateKey()
    let date = ManualDate(1_700_000_000.75)

    func source(lifetime: Duration = .seconds(900)) throws -> APITokenSource {
        try APITokenSource(
            key: SigningKey(key, keyID: TestKeys.keyID), issuerID: TestKeys.issuerID, bundleID: TestKeys.bundleID,
            lifetime: lifetime, now: date.now)
    }

    @Test func `have exactly the header and the claims that Apple asks for`() throws {
        let token = try source().token()
        let (header, claims) = try TestKeys.open(token.text, with: key.publicKey)
        #expect(header as? [String: String] == ["alg": "ES256", "kid": TestKeys.keyID, "typ": "JWT"])
        #expect(Set(claims.keys) == ["iss", "iat", "exp", "aud", "bid"])
        #expect(claims["iss"] as? String == TestKeys.issuerID)
        #expect(claims["aud"] as? String == "appstoreconnect-v1")
        #expect(claims["bid"] as? String == TestKeys.bundleID)
        #expect(claims["iat"] as? Int == 1_700_000_000)
        #expect(claims["exp"] as? Int == 1_700_000_900)
        #expect(token.issuedAt == Date(timeIntervalSince1970: 1_700_000_000))
        #expect(token.expiresAt == Date(timeIntervalSince1970: 1_700_000_900))
    }

    @Test func `are never valid for more than an hour, nor for less than a minute`() throws {
        for (asked, given) in [
            (Duration.seconds(90_000), 3600.0), (.zero, 60), (.seconds(-5), 60), (.seconds(300.9), 300),
        ] {
            let token = try source(lifetime: asked).token()
            #expect(token.expiresAt.timeIntervalSince(token.issuedAt) == given)
        }
    }

    @Test func `are reused by a hundred tasks at once`() async throws {
        let source = try source()
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try source.token().text } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(texts.count == 1)
    }

    @Test func `are reused until shortly before they expire, then replaced`() throws {
        let source = try source()
        let first = try source.token().text
        date.advance(by: 839)
        #expect(try source.token().text == first)
        date.advance(by: 1)
        let second = try source.token()
        #expect(second.text != first)
        #expect(second.issuedAt == Date(timeIntervalSince1970: 1_700_000_840))
    }

    @Test func `are replaced when the clock was put back`() throws {
        let source = try source()
        let first = try source.token().text
        date.advance(by: -100)
        #expect(try source.token().text != first)
    }

    @Test func `are replaced once after a refusal, however many requests were refused with them`() throws {
        let source = try source()
        let refused = try source.token()
        source.discard(refused)
        let second = try source.token()
        #expect(second.text != refused.text)
        source.discard(refused)
        #expect(try source.token().text == second.text)
    }

    @Test func `are never printed`() throws {
        let token = try source().token()
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped] { #expect(!text.contains(token.text.suffix(20))) }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, 9.3e18])
    func `cannot be made under a clock that shows no date`(_ seconds: Double) throws {
        date.advance(by: seconds)
        #expect(throws: SigningError(.invalidDate, "")) { try source().token() }
    }

    @Test func `need an issuer and a bundle`() {
        let key = SigningKey(key, keyID: "K")
        #expect(throws: SigningError(.invalidIdentifier, "")) {
            try APITokenSource(key: key, issuerID: "", bundleID: "b")
        }
        #expect(throws: SigningError(.invalidIdentifier, "")) {
            try APITokenSource(key: key, issuerID: "i", bundleID: "")
        }
    }
}
