import AppStoreServer
import Crypto
import Foundation
import Testing

@testable import CounterfoilServer

@Suite struct `Decoding of tokens and offers that an app signed` {
    private let key = P256.Signing.PrivateKey()
    /// The time of a simulator, long before the real one.
    private let simulated = Date(timeIntervalSince1970: 1_700_000_000)

    private func verdict(_ payload: String, _ header: String = #"{"alg":"ES256","kid":"K"}"#) throws -> DecodeVerdict {
        let text = try CompactJWS.sign(header: header.utf8, payload: payload.utf8, with: key)
        let members = try #require(JSONSerialization.jsonObject(with: Data(header.utf8)) as? [String: Any])
        let keys = ["K": try SigningKey(pem: key.pemRepresentation, keyID: "K")]
        return TokenVerdict.make(text, members, Array(payload.utf8), keys, now: simulated)
    }

    private func claims(_ audience: String, at date: Date) -> String {
        #"{"aud":"\#(audience)","iat":\#(Int(date.timeIntervalSince1970))}"#
    }

    @Test func `A token is dated by the real clock, an offer by the clock of the server`() throws {
        let token = try verdict(claims("appstoreconnect-v1", at: Date()))
        #expect(token.kind == "api_token" && token.isProven, "\(token.message)")
        let early = try verdict(claims("appstoreconnect-v1", at: Date(timeIntervalSinceNow: 600)))
        #expect(early.code == "not_yet_valid")
        #expect(try verdict(claims("promotional-offer", at: simulated)).isProven)
        #expect(try verdict(claims("promotional-offer", at: Date())).code == "not_yet_valid")
    }

    @Test(
        arguments: [
            (#"{"alg":"ES256","kid":"K","typ":"jwt"}"#, nil),
            (#"{"alg":"ES256","kid":"K","typ":"JOSE"}"#, "unsupported_header"),
            (#"{"alg":"ES256","kid":"K","typ":7}"#, "unsupported_header"),
            (#"{"alg":"ES256","kid":"K","crit":["exp"]}"#, "unsupported_header"),
            (#"{"alg":"ES256","kid":"K","b64":true}"#, "unsupported_header"),
            (#"{"alg":"ES384","kid":"K"}"#, "unsupported_algorithm"),
        ] as [(String, String?)])
    func `A header that the App Store would refuse is refused`(_ header: String, _ code: String?) throws {
        let verdict = try self.verdict(claims("promotional-offer", at: simulated), header)
        #expect(verdict.code == code && verdict.isProven == (code == nil))
    }
}
