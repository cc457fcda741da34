import Crypto
import Foundation
import Synchronization
import Testing

@testable import AppStoreServer

/// A date that moves only when a test advances it.
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

    @Test func `An API token has exactly the header and claims that Apple requires`() throws {
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

    @Test func `An API token is valid for at least a minute and at most an hour`() throws {
        for (requested, actual) in [
            (Duration.seconds(90_000), 3600.0), (.zero, 60), (.seconds(-5), 60), (.seconds(300.9), 300),
        ] {
            let token = try source(lifetime: requested).token()
            #expect(token.expiresAt.timeIntervalSince(token.issuedAt) == actual)
        }
    }

    @Test func `A hundred concurrent tasks share an API token`() async throws {
        let source = try source()
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try source.token().text } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(texts.count == 1)
    }

    @Test func `An API token is reused until a minute before it expires`() throws {
        let source = try source()
        let first = try source.token().text
        date.advance(by: 839)
        #expect(try source.token().text == first)
        date.advance(by: 1)
        let second = try source.token()
        #expect(second.text != first)
        #expect(second.issuedAt == Date(timeIntervalSince1970: 1_700_000_840))
    }

    @Test func `An API token is replaced when the clock was set back`() throws {
        let source = try source()
        let first = try source.token().text
        date.advance(by: -100)
        #expect(try source.token().text != first)
    }

    @Test func `A refused API token is replaced once, however many requests were refused`() throws {
        let source = try source()
        let refused = try source.token()
        source.discard(refused)
        let second = try source.token()
        #expect(second.text != refused.text)
        source.discard(refused)
        #expect(try source.token().text == second.text)
    }

    @Test func `An API token is never printed`() throws {
        let token = try source().token()
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped] { #expect(!text.contains(token.text.suffix(20))) }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, 9.3e18])
    func `An API token cannot be created with an invalid clock`(_ seconds: Double) throws {
        date.advance(by: seconds)
        #expect(throws: SigningError(.invalidDate, "")) { try source().token() }
    }

    @Test func `An API token source needs an issuer and a bundle identifier`() {
        let key = SigningKey(key, keyID: "K")
        #expect(throws: SigningError(.invalidIdentifier, "")) {
            try APITokenSource(key: key, issuerID: "", bundleID: "b")
        }
        #expect(throws: SigningError(.invalidIdentifier, "")) {
            try APITokenSource(key: key, issuerID: "i", bundleID: "")
        }
    }
}
