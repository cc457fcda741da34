import Basics
import Crypto
import Foundation
import Testing

@testable import AppStoreServer

@Suite struct `Selection among several signing keys` {
    private static func date(_ minutes: Double) -> Date { Date(timeIntervalSince1970: 1_700_000_000 + minutes * 60) }

    @Test func `The newest key signs, and the previous one for 15 minutes after a refusal`() {
        var selector = SigningKeySelector()
        #expect(selector.index(among: 2, at: Self.date(0)) == 0)
        selector.recordRefusal(of: 0, at: Self.date(1))
        #expect(selector.index(among: 2, at: Self.date(1)) == 1)
        #expect(selector.index(among: 2, at: Self.date(15.9)) == 1)
        #expect(selector.index(among: 2, at: Self.date(16)) == 0)
        // If the clock was set back, refusals are ignored.
        #expect(selector.index(among: 2, at: Self.date(0.5)) == 0)
    }

    @Test func `If all keys are refused, they take turns`() {
        var selector = SigningKeySelector()
        selector.recordRefusal(of: 0, at: Self.date(1))
        selector.recordRefusal(of: 1, at: Self.date(2))
        #expect(selector.index(among: 2, at: Self.date(3)) == 0)
        selector.recordRefusal(of: 0, at: Self.date(3))
        #expect(selector.index(among: 2, at: Self.date(4)) == 1)
        #expect(selector.index(among: 1, at: Self.date(4)) == 0)
    }

    @Test func `A token source signs with the former key after a refusal, and with replaced keys`() throws {
        let date = ManualDate(1_700_000_000)
        let keys = ["NEW", "OLD", "NEXT"].map { SigningKey(P256.Signing.PrivateKey(), keyID: $0) }
        let source = try APITokenSource(
            key: keys[0], formerKeys: [keys[1]], issuerID: "i", bundleID: "b", now: date.now)
        func kid() throws -> String? {
            let header = try source.token().text.prefix { $0 != "." }
            let data = Data(try #require(Base64.decodeURL(header)))
            return try JSONDecoder().decode([String: String].self, from: data)["kid"]
        }
        #expect(try kid() == "NEW")
        #expect(source.refusedKeyID == nil)
        let refused = try source.token()
        source.discard(refused)
        #expect(try kid() == "OLD")
        #expect(source.refusedKeyID == "NEW")
        // Many requests refused at once count as one.
        source.discard(refused)
        #expect(try kid() == "OLD")
        date.advance(by: 16 * 60)
        #expect(try kid() == "NEW")
        let token = try source.token().text
        source.replaceKeys([keys[0], keys[1]])
        source.replaceKeys([])
        #expect(try source.token().text == token)
        source.replaceKeys([keys[2], keys[0]])
        #expect(try kid() == "NEXT")
        // A single key has no other to use instead.
        source.replaceKeys([keys[2]])
        source.discard(try source.token())
        #expect(source.refusedKeyID == nil)
    }
}
