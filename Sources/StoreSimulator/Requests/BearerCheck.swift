internal import AppStoreModels
internal import AppStoreTrust
package import Crypto
package import Foundation
internal import Synchronization

/// Checks the `Authorization` header of a request as the App Store does. Apple's page: *Generating JSON Web Tokens for
/// API requests*.
///
/// Accepted tokens are cached until they expire, so later requests with the same token need only a dictionary lookup.
/// Every refusal has status 401 without an error code, because Apple documents no body; the message is for the
/// simulator's log.
package final class BearerCheck: Sendable {
    /// The maximum size of a header in bytes. A token has about 350.
    package static let maximumSize = 8 * 1024

    /// The maximum lifetime of a token in seconds.
    package static let maximumLifetime: TimeInterval = 3600

    /// How far the clock of the token's issuer may be ahead of the simulator's, in seconds.
    package static let tolerance: TimeInterval = 60

    private struct State {
        /// The keys that can sign tokens.
        var keys: [ExactText: CryptoConstant<P256.Signing.PublicKey>]
        /// The number of changes of ``keys``.
        var keyChanges = 0
        /// The accepted headers, and when they are valid. Their number is limited, because clients that create a token
        /// for every request, as Apple's page proposes, would fill the memory.
        var cache: [ExactText: Range<Date>] = [:]

        /// Sets the key with an ID; nil removes it. Tokens of the former key are no longer accepted.
        mutating func set(_ key: CryptoConstant<P256.Signing.PublicKey>?, keyID: String) {
            keys[ExactText(keyID)] = key
            keyChanges += 1
            cache = [:]
        }
    }

    let issuerID: String
    let bundleID: String
    private let state: Mutex<State>
    private let capacity: Int

    /// Creates a check for a key of App Store Connect and one app. `capacity` is the maximum number of cached tokens.
    package init(key: P256.Signing.PublicKey, keyID: String, issuerID: String, bundleID: String, capacity: Int = 1024) {
        state = Mutex(State(keys: [ExactText(keyID): CryptoConstant(key)]))
        self.issuerID = issuerID
        self.bundleID = bundleID
        self.capacity = max(capacity, 1)
    }

    /// Throws unless `authorization`, the value of the header, is valid at `now`. Pass the real time, not the simulated
    /// one: tokens are dated by the clock of the developer's server.
    package func check(_ authorization: String?, now: Date) throws(APIFailure) {
        guard let authorization else { throw Self.refusal("the Authorization header is missing") }
        guard authorization.utf8.count <= Self.maximumSize else { throw Self.refusal("the header is too long") }
        let header = ExactText(authorization)
        let (cached, keyChanges) = state.withLock { ($0.cache[header], $0.keyChanges) }
        if let cached, cached.contains(now) { return }
        let validity = try verify(token(in: authorization))
        guard now < validity.upperBound else { throw Self.refusal("the token has expired") }
        guard validity.lowerBound <= now else {
            throw Self.refusal("the token is from the future, or is valid for more than an hour from now")
        }
        state.withLock { state in
            // The key may have been revoked since the token was verified.
            guard state.keyChanges == keyChanges else { return }
            if state.cache.count >= capacity { state.cache = state.cache.filter { $0.value.contains(now) } }
            if state.cache.count >= capacity { state.cache.removeAll(keepingCapacity: true) }
            state.cache[header] = validity
        }
    }

    /// Accepts an additional key, as App Store Connect does after another key was created. A key with the same ID is
    /// replaced.
    package func accept(_ key: P256.Signing.PublicKey, keyID: String) {
        let key = CryptoConstant(key)
        state.withLock { $0.set(key, keyID: keyID) }
    }

    /// Revokes a key. Tokens that are signed with it are refused from then on.
    package func revoke(keyID: String) { state.withLock { $0.set(nil, keyID: keyID) } }

    /// Returns the key with a key ID; nil if it is not one of the app's.
    func key(_ keyID: String) -> P256.Signing.PublicKey? { state.withLock { $0.keys[ExactText(keyID)] }?.value }

    /// The key IDs of the app, for messages.
    var keyIDList: String { state.withLock { $0.keys.keys.map(\.text).sorted().joined(separator: " or ") } }

    /// The number of cached tokens.
    package var cachedTokens: Int { state.withLock { $0.cache.count } }

    static func refusal(_ reason: String) -> APIFailure { APIFailure(status: 401, reason) }
}

// The contents of the token.
extension BearerCheck {
    private struct Claims: Decodable {
        let iss: String
        let bid: String
        let aud: Audience
        let exp: Double
        let iat: Double?
        let nbf: Double?
    }

    /// A string, or a list that has to contain one string: some JSON Web Token libraries encode it so.
    private struct Audience: Decodable {
        let values: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            do { values = [try container.decode(String.self)] } catch {
                values = try container.decode([String].self)
            }
        }
    }

    // RFC 6750 §2.1. The scheme is case-insensitive (RFC 9110 §11.1).
    private func token(in authorization: String) throws(APIFailure) -> Substring {
        let parts = authorization.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, let scheme = parts.first, let token = parts.last, scheme.lowercased() == "bearer" else {
            throw Self.refusal("the header is not of the form “Bearer token”")
        }
        return token
    }

    /// Checks everything in the token except the time. Returns the time in which it is valid.
    private func verify(_ token: Substring) throws(APIFailure) -> Range<Date> {
        guard let jws = DeveloperJWS(String(token)) else {
            throw Self.refusal("the token has no header, payload and signature in base64url, or no alg and kid")
        }
        if let problem = jws.headerProblem { throw Self.refusal(problem) }
        guard let key = key(jws.keyID) else { throw Self.refusal("the key identifier is not \(keyIDList)") }
        guard jws.isSigned(by: key) else { throw Self.refusal("the signature is not by the key \(jws.keyID)") }
        guard let claims = jws.claims(Claims.self) else {
            throw Self.refusal("the payload is not JSON or lacks a member")
        }
        guard claims.iss.isExactly(issuerID) else { throw Self.refusal("the issuer is not \(issuerID)") }
        guard claims.bid.isExactly(bundleID) else { throw Self.refusal("the bundle identifier is not \(bundleID)") }
        guard claims.aud.values == ["appstoreconnect-v1"] else {
            throw Self.refusal("the audience is not appstoreconnect-v1")
        }
        return try Self.validity(claims)
    }

    // Apple's released clients for Java and Python write no `iat`. Such a token is valid during the hour before it
    // expires.
    private static func validity(_ claims: Claims) throws(APIFailure) -> Range<Date> {
        let begin = claims.iat.map { $0 - tolerance } ?? claims.exp - maximumLifetime
        let start = max(begin, claims.nbf.map { $0 - tolerance } ?? begin)
        // ±2^40 s is the range of dates. The comparison is also false for NaN.
        guard claims.exp.magnitude < 0x1p40, start.magnitude < 0x1p40 else {
            throw refusal("a date is out of range")
        }
        guard claims.exp - (claims.iat ?? claims.exp) <= maximumLifetime else {
            throw refusal("the token is valid for more than an hour")
        }
        guard start < claims.exp else { throw refusal("the token expires before it begins") }
        return Date(timeIntervalSince1970: start)..<Date(timeIntervalSince1970: claims.exp)
    }
}
