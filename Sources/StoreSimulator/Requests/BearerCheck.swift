internal import AppStoreModels
internal import AppStoreTrust
internal import Basics
package import Crypto
package import Foundation
internal import Synchronization

/// Checks the header `Authorization` of a request as the App Store does. Apple's page: *Generating JSON Web Tokens for API
/// requests*.
///
/// A token that passed is remembered until it expires, so from the second request on a check is one look into a
/// dictionary. Copies share what they remember. Every refusal is status 401 without a code: Apple documents no body, and
/// the message is for our log.
package struct BearerCheck: Sendable {
    /// The most bytes of a header that is read. A token has about 350.
    package static let maximumSize = 8 * 1024

    /// The longest that a token may be valid.
    package static let maximumLifetime: TimeInterval = 3600

    /// How far the clock of who made the token may be ahead of ours.
    package static let tolerance: TimeInterval = 60

    let issuerID: String
    let bundleID: String
    private let keys: AcceptedKeys
    private let memory: PassedTokens

    /// A check against a key of App Store Connect and one app. `capacity` is how many tokens are remembered.
    package init(
        key: P256.Signing.PublicKey, keyID: String, issuerID: String, bundleID: String, capacity: Int = 1024
    ) {
        keys = AcceptedKeys([ExactText(keyID): CryptoConstant(key)])
        self.issuerID = issuerID
        self.bundleID = bundleID
        memory = PassedTokens(capacity: capacity)
    }

    /// Throws unless `authorization`, the value of the header, is good at `now`: the real time, as tokens are dated by
    /// the clock of the developer's server, whatever the store's own clock shows.
    package func check(_ authorization: String?, now: Date) throws(APIFailure) {
        guard let authorization else { throw Self.refusal("there is no header Authorization") }
        guard authorization.utf8.count <= Self.maximumSize else { throw Self.refusal("the header is too long") }
        if memory.contains(authorization, at: now) { return }
        let validity = try verify(token(in: authorization))
        try Self.require(validity, at: now)
        memory.insert(authorization, validity, at: now)
    }

    /// Accepts another key as well, as App Store Connect does where a second one was made.
    package func accept(_ key: P256.Signing.PublicKey, keyID: String) {
        keys.insert(CryptoConstant(key), for: ExactText(keyID))
    }

    /// Accepts a key no more, nor any token that was made by it.
    package func revoke(keyID: String) {
        keys.remove(ExactText(keyID))
        memory.removeAll()
    }

    /// The key with this identifier; nil if it is not one of the app's.
    func key(_ keyID: String) -> P256.Signing.PublicKey? { keys[ExactText(keyID)]?.value }

    /// The identifiers of the app's keys, for people.
    var keyNames: String { keys.names }

    /// How many tokens are remembered.
    package var remembered: Int { memory.count }

    static func refusal(_ reason: String) -> APIFailure { APIFailure(status: 401, reason) }
}

// What the token says.
extension BearerCheck {
    private struct Header: Decodable {
        let alg: String
        let kid: String
        let typ: String?
    }

    private struct Claims: Decodable {
        let iss: String
        let bid: String
        let aud: Audience
        let exp: Double
        let iat: Double?
        let nbf: Double?
    }

    /// One text, or a list that has to hold one text: some libraries for JSON Web Tokens write it so.
    private struct Audience: Decodable {
        let values: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            do { values = [try container.decode(String.self)] } catch {
                values = try container.decode([String].self)
            }
        }
    }

    // RFC 6750 §2.1, with the scheme in any case (RFC 9110 §11.1).
    private func token(in authorization: String) throws(APIFailure) -> Substring {
        let parts = authorization.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, let scheme = parts.first, let token = parts.last, scheme.lowercased() == "bearer" else {
            throw Self.refusal("the header is not of the form “Bearer token”")
        }
        return token
    }

    /// Checks all of the token that has nothing to do with the time, and says when it is good.
    private func verify(_ token: Substring) throws(APIFailure) -> Range<Date> {
        let parts = token.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let first = parts.first, let last = parts.last else {
            throw Self.refusal("the token has not three parts")
        }
        let header = try decode(Header.self, from: first, "header")
        guard header.alg.isExactly("ES256") else { throw Self.refusal("the algorithm is not ES256") }
        guard let key = key(header.kid) else { throw Self.refusal("the key identifier is not \(keyNames)") }
        guard header.typ.map({ $0.uppercased() == "JWT" }) ?? true else { throw Self.refusal("the type is not JWT") }
        // RFC 7518 §3.4: r and s, 32 bytes each.
        guard let bytes = Base64.decodeURL(last),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: bytes),
            key.isValidSignature(signature, for: Data(token.utf8.prefix(token.utf8.count - last.utf8.count - 1)))
        else { throw Self.refusal("the signature is not by the key \(header.kid)") }
        let claims = try decode(Claims.self, from: parts[parts.index(after: parts.startIndex)], "payload")
        guard claims.iss.isExactly(issuerID) else { throw Self.refusal("the issuer is not \(issuerID)") }
        guard claims.bid.isExactly(bundleID) else { throw Self.refusal("the bundle identifier is not \(bundleID)") }
        guard claims.aud.values == ["appstoreconnect-v1"] else {
            throw Self.refusal("the audience is not appstoreconnect-v1")
        }
        return try Self.validity(claims)
    }

    private func decode<Value: Decodable>(
        _ type: Value.Type, from part: Substring, _ name: String
    ) throws(APIFailure) -> Value {
        guard let bytes = Base64.decodeURL(part) else { throw Self.refusal("the \(name) is not base64url") }
        do { return try StrictJSONDecoder.decode(type, from: bytes) } catch {
            throw Self.refusal("the \(name) is not JSON or lacks a member")
        }
    }
}

// When the token is good.
extension BearerCheck {
    // The released clients for Java and Python write no `iat`. Then all that can be said is that a good token expires
    // within the hour.
    private static func validity(_ claims: Claims) throws(APIFailure) -> Range<Date> {
        let begin = claims.iat.map { $0 - tolerance } ?? claims.exp - maximumLifetime
        let start = max(begin, claims.nbf.map { $0 - tolerance } ?? begin)
        // ±2^40 s: beyond it there are no dates, and comparisons with what is not a number are false.
        guard claims.exp.magnitude < 0x1p40, start.magnitude < 0x1p40 else {
            throw refusal("a date is out of range")
        }
        guard claims.exp - (claims.iat ?? claims.exp) <= maximumLifetime else {
            throw refusal("the token is valid for more than an hour")
        }
        guard start < claims.exp else { throw refusal("the token expires before it begins") }
        return Date(timeIntervalSince1970: start)..<Date(timeIntervalSince1970: claims.exp)
    }

    private static func require(_ validity: Range<Date>, at now: Date) throws(APIFailure) {
        guard now < validity.upperBound else { throw refusal("the token has expired") }
        guard validity.lowerBound <= now else {
            throw refusal("the token is from the future, or is valid for more than an hour from now")
        }
    }
}

/// The keys that tokens may be made by. Copies of a check share them.
private final class AcceptedKeys: Sendable {
    private let keys: Mutex<[ExactText: CryptoConstant<P256.Signing.PublicKey>]>

    init(_ keys: [ExactText: CryptoConstant<P256.Signing.PublicKey>]) { self.keys = Mutex(keys) }

    subscript(name: ExactText) -> CryptoConstant<P256.Signing.PublicKey>? { keys.withLock { $0[name] } }

    var names: String { keys.withLock { $0.keys.map(\.text).sorted().joined(separator: " or ") } }

    func insert(_ key: CryptoConstant<P256.Signing.PublicKey>, for name: ExactText) {
        keys.withLock { $0[name] = key }
    }

    func remove(_ name: ExactText) { keys.withLock { $0[name] = nil } }
}

/// The headers that passed. Bounded: who makes a token for every request, as Apple's page proposes, gains nothing from it
/// and must not fill the memory either.
private final class PassedTokens: Sendable {
    private let capacity: Int
    private let entries = Mutex<[ExactText: Range<Date>]>([:])

    init(capacity: Int) { self.capacity = max(capacity, 1) }

    var count: Int { entries.withLock { $0.count } }

    func removeAll() { entries.withLock { $0 = [:] } }

    func contains(_ text: String, at now: Date) -> Bool {
        entries.withLock { $0[ExactText(text)] }?.contains(now) ?? false
    }

    func insert(_ text: String, _ validity: Range<Date>, at now: Date) {
        entries.withLock { entries in
            if entries.count >= capacity { entries = entries.filter { $0.value.contains(now) } }
            if entries.count >= capacity { entries.removeAll(keepingCapacity: true) }
            entries[ExactText(text)] = validity
        }
    }
}
