import Basics
public import Foundation
import Synchronization

/// A bearer token for the App Store Server API. Apple's page: *Generating JSON Web Tokens for API requests*.
public struct APIToken: Sendable {
    /// The token for the header `Authorization: Bearer …`. A secret: it gives access to the API.
    public let text: String

    /// When it was created, in whole seconds.
    public let issuedAt: Date

    /// When the App Store stops accepting it, in whole seconds.
    public let expiresAt: Date

    /// The index of its key in the source.
    let key: Int
}

extension APIToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The expiry date, never the token.
    public var description: String { "APIToken(expiresAt: \(expiresAt))" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// The dates, never the token.
    public var customMirror: Mirror {
        Mirror(self, children: ["issuedAt": issuedAt, "expiresAt": expiresAt], displayStyle: .struct)
    }
}

/// Creates API tokens, and reuses a token until shortly before it expires.
///
/// Safe to share between tasks: concurrent calls create only one token.
///
/// While a key is being replaced, the source has two. It signs with the newer key, and with the older one if the App
/// Store refuses the newer. ``discard(_:)`` reports such a refusal.
public final class APITokenSource: Sendable {
    /// The issuer ID (`iss`), a UUID as text. App Store Connect shows it above the list of keys.
    public let issuerID: String

    /// The bundle identifier of the app (`bid`).
    public let bundleID: String

    /// How long a token is valid, in whole seconds.
    public let lifetime: Duration

    /// How long before its expiry a token is replaced.
    public let renewalMargin: Duration

    private struct State {
        /// At least one; the newest first.
        var keys: [SigningKey]
        var selector = SigningKeySelector()
        var token: APIToken?
    }

    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    /// The range of ``lifetime``. Apple refuses tokens that are valid for more than an hour.
    public static let lifetimes: ClosedRange<Duration> = .seconds(60)...(.seconds(3600))

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - key: The private key.
    ///   - issuerID: The issuer ID.
    ///   - bundleID: The bundle identifier of the app.
    ///   - lifetime: How long a token is valid. Clamped to ``lifetimes`` and truncated to whole seconds.
    ///   - now: The clock for the token dates. It has to be correct to within a few minutes.
    /// - Throws: ``SigningError`` with `invalid_identifier` if an identifier is empty or too long.
    public convenience init(
        key: SigningKey, issuerID: String, bundleID: String, lifetime: Duration = .seconds(15 * 60),
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(SigningError) {
        try self.init(key: key, formerKeys: [], issuerID: issuerID, bundleID: bundleID, lifetime: lifetime, now: now)
    }

    /// Creates a source for an app whose key is being replaced.
    ///
    /// - Parameters:
    ///   - key: The newest private key.
    ///   - formerKeys: The keys before it, the newest first. Each is used if the App Store refuses all keys before it.
    ///   - issuerID: The issuer ID, the same for all keys.
    ///   - bundleID: The bundle identifier of the app.
    ///   - lifetime: How long a token is valid. Clamped to ``lifetimes`` and truncated to whole seconds.
    ///   - now: The clock for the token dates. It has to be correct to within a few minutes.
    /// - Throws: ``SigningError`` with `invalid_identifier` if an identifier is empty or too long.
    public init(
        key: SigningKey, formerKeys: [SigningKey], issuerID: String, bundleID: String,
        lifetime: Duration = .seconds(15 * 60), now: @escaping @Sendable () -> Date = { Date() }
    ) throws(SigningError) {
        try SigningIdentifier.check(issuerID, "issuer ID")
        try SigningIdentifier.check(bundleID, "bundle ID")
        state = Mutex(State(keys: [key] + formerKeys))
        self.issuerID = issuerID
        self.bundleID = bundleID
        let seconds = min(max(lifetime, Self.lifetimes.lowerBound), Self.lifetimes.upperBound).components.seconds
        self.lifetime = .seconds(seconds)
        self.renewalMargin = .seconds(min(60, seconds / 4))
        self.now = now
    }

    /// Returns a token that is valid for longer than ``renewalMargin``: the current one, or a new one.
    ///
    /// - Throws: ``SigningError`` with `invalid_date` if the clock shows no usable date, `signing_failed` if the
    ///   cryptographic library refuses to sign.
    public func token() throws(SigningError) -> APIToken {
        let now = now()
        // Signing takes some fifty microseconds, once per lifetime. Under the lock, concurrent callers do not repeat
        // it.
        return try state.withLock { state throws(SigningError) in
            // If the token was issued in the future, the clock was set back: the App Store would not accept the token
            // now.
            if let token = state.token, token.issuedAt <= now, now < token.expiresAt - renewalMargin.seconds {
                return token
            }
            let token = try createToken(by: state.selector.index(among: state.keys.count, at: now), of: state.keys, now)
            state.token = token
            return token
        }
    }

    /// Discards `token` after the App Store refused it, so that the next call of ``token()`` creates a new one, with
    /// another key if there is one. Does nothing if the source has another token already: many refused requests cause
    /// only one new token.
    public func discard(_ token: APIToken) {
        let now = now()
        state.withLock { state in
            guard state.token?.text == token.text else { return }
            state.token = nil
            state.selector.recordRefusal(of: token.key, at: now)
        }
    }

    /// The number of keys, at least one.
    var keyCount: Int { state.withLock { $0.keys.count } }

    /// The ID of the newest key while the source signs with an older one, because the App Store refused the newest;
    /// otherwise nil.
    package var refusedKeyID: String? {
        let now = now()
        return state.withLock { state in
            let index = state.selector.index(among: state.keys.count, at: now)
            return index > 0 ? state.keys.first?.keyID : nil
        }
    }

    /// Replaces the keys; the newest is first. Does nothing if `keys` is empty or unchanged.
    package func replaceKeys(_ keys: [SigningKey]) {
        state.withLock { state in
            guard !keys.isEmpty, !state.keys.elementsEqual(keys, by: { $0.isSame(as: $1) }) else { return }
            state = State(keys: keys)
        }
    }

    private func createToken(by index: Int, of keys: [SigningKey], _ now: Date) throws(SigningError) -> APIToken {
        guard keys.indices.contains(index) else { throw SigningError(.signingFailed, "there is no key") }
        let issued = try now.unixTime()
        let (expires, overflow) = issued.addingReportingOverflow(lifetime.components.seconds)
        guard !overflow else { throw SigningError(.invalidDate, "the clock shows no usable date") }
        let claims = TokenClaims(iss: issuerID, iat: issued, exp: expires, bid: bundleID)
        return APIToken(
            text: try keys[index].sign(claims: claims), issuedAt: Date(timeIntervalSince1970: Double(issued)),
            expiresAt: Date(timeIntervalSince1970: Double(expires)), key: index)
    }
}

private struct TokenClaims: Encodable {
    let iss: String
    let iat: Int64
    let exp: Int64
    var aud = "appstoreconnect-v1"
    let bid: String
}
