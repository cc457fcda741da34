internal import AppStoreModels
internal import Basics
internal import Foundation

/// A request that the developer's server has signed for the app: `{"signatureInfo":{"token":"…"}}`. Apple's page:
/// *Generating JWS to sign App Store requests*.
package struct AdvancedCommerceEnvelope: Sendable {
    /// The JSON of the request.
    package let request: [UInt8]

    private let token: DeveloperJWS
    private let claims: Claims

    /// Parses the wrapper, plain or in base64. Throws 4000171 if it is empty, 4000174 if it is malformed.
    package init(_ data: String) throws(APIFailure) {
        guard !data.isEmpty else { throw APIFailure(.nullAdvancedCommerceData, "There is no advancedCommerceData.") }
        guard data.utf8.count <= RequestBody.maximumSize else { throw Self.refusal("is too large") }
        let bytes =
            data.utf8.first == UInt8(ascii: "{") ? Array(data.utf8) : Data(base64Encoded: data).map { Array($0) }
        // The cause is not reported, as by the App Store.
        guard let bytes, let wrapper = try? StrictJSONDecoder.decode(Wrapper.self, from: bytes) else {
            throw Self.refusal("has no token")
        }
        guard let token = DeveloperJWS(wrapper.signatureInfo.token), let claims = token.claims(Claims.self) else {
            throw Self.refusal("is not a JWS with the claims iss, iat, aud, bid, nonce and request")
        }
        guard UUID(text: claims.nonce) != nil else { throw Self.refusal("has a nonce that is not a UUID") }
        // Standard base64 with padding, as all of Apple's libraries write it.
        guard let request = Data(base64Encoded: claims.request) else { throw Self.refusal("has no base64 request") }
        self.request = Array(request)
        self.token = token
        self.claims = claims
    }

    /// Throws 4000174 unless the request is signed with one of the app's keys, for this app and this purpose.
    func check(by bearer: BearerCheck) throws(APIFailure) {
        if let problem = token.headerProblem { throw Self.refusal("is not signed as required: \(problem)") }
        guard let key = bearer.key(token.keyID) else {
            throw Self.refusal("names another key than \(bearer.keyIDList)")
        }
        guard token.isSigned(by: key) else { throw Self.refusal("is not signed by the key \(token.keyID)") }
        guard claims.aud.isExactly("advanced-commerce-api") else { throw Self.refusal("is for another audience") }
        guard claims.iss.isExactly(bearer.issuerID), claims.bid.isExactly(bearer.bundleID) else {
            throw Self.refusal("is of another issuer or app")
        }
    }

    private static func refusal(_ problem: String) -> APIFailure {
        APIFailure(.invalidSignature, "advancedCommerceData \(problem).")
    }

    private struct Wrapper: Decodable {
        struct Info: Decodable { let token: String }
        let signatureInfo: Info
    }

    private struct Claims: Decodable {
        let iss: String
        // The App Store derives the expiry from it, but documents no lifetime of these requests.
        let iat: Double
        let bid: String
        let aud: String
        let nonce: String
        let request: String
    }
}
