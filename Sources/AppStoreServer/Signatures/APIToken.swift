import Basics
public import Foundation
import Synchronization

/// A bearer token for the App Store Server API. Apple's page: *Generating JSON Web Tokens for API requests*.
public struct APIToken: Sendable {
    /// The token itself, for the header `Authorization: Bearer …`. A secret: whoever has it can call the API.
    public let text: String

    /// When it was made, in whole seconds.
    public let issuedAt: Date

    /// When the App Store stops accepting it, in whole seconds.
    public let expiresAt: Date

    /// The place of its key among those of the source.
    let key: Int
}

extension APIToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The dates, never the text.
    public var description: String { "APIToken(expiresAt: \(expiresAt))" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// The dates, never the text.
    public var customMirror: Mirror {
        Mirror(self, children: ["issuedAt": issuedAt, "expiresAt": expiresAt], displayStyle: .struct)
    }
}

/// Makes API tokens and hands out the same one until shortly before it expires.
///
/// Safe to share between any number of tasks: however many ask at once, one token is made.
///
/// While a key is being replaced the source has two: the newer one signs, and the older one where the App Store refuses the
/// newer. ``discard(_:)`` tells that.
public final class APITokenSource: Sendable {
    /// The identifier of the issuer (`iss`), a UUID as text; App Store Connect shows it above the list of keys.
    public let issuerID: String

    /// The bundle identifier of the app that the token is for (`bid`).
    public let bundleID: String

    /// How long a token is valid, in whole seconds.
    public let lifetime: Duration

    /// How long before it expires a token is replaced.
    public let renewal: Duration

    private struct State {
        /// At least one; the newest first.
        var keys: [SigningKey]
        var choice = KeyChoice()
        var token: APIToken?
    }

    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    /// What ``lifetime`` may be. Apple refuses tokens that are valid for more than an hour.
    public static let lifetimes: ClosedRange<Duration> = .seconds(60)...(.seconds(3600))

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - key: The private key.
    ///   - issuerID: The identifier of the issuer.
    ///   - bundleID: The bundle identifier of the app.
    ///   - lifetime: How long a token is valid; taken into ``lifetimes`` and cut to whole seconds.
    ///   - now: The clock that dates the tokens. It has to be right to within a few minutes.
    /// - Throws: ``SigningError`` with `invalid_identifier` for an empty identifier.
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
    ///   - formerKeys: Those before it, the newest first: each is used where the App Store refuses the ones before it in this
    ///     order.
    ///   - issuerID: The identifier of the issuer, the same for all keys.
    ///   - bundleID: The bundle identifier of the app.
    ///   - lifetime: How long a token is valid; taken into ``lifetimes`` and cut to whole seconds.
    ///   - now: The clock that dates the tokens. It has to be right to within a few minutes.
    /// - Throws: ``SigningError`` with `invalid_identifier` for an empty identifier.
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
        self.renewal = .seconds(min(60, seconds / 4))
        self.now = now
    }

    /// A token that is valid for at least ``renewal`` more: the last one, or a new one.
    public func token() throws(SigningError) -> APIToken {
        let now = now()
        // Signing under the lock takes some fifty microseconds, once per lifetime, and spares everybody else the work.
        return try state.withLock { state throws(SigningError) in
            // A token from the future means that the clock was put back: the App Store would not accept it now.
            if let token = state.token, token.issuedAt <= now, now < token.expiresAt - renewal.seconds {
                return token
            }
            let made = try make(by: state.choice.key(of: state.keys.count, at: now), of: state.keys, now)
            state.token = made
            return made
        }
    }

    /// Forgets `token` after the App Store refused it, so that the next call of ``token()`` makes a new one, by another key
    /// if there is one. Does nothing if the source has moved on already: many requests refused at once cost one new token.
    public func discard(_ token: APIToken) {
        let now = now()
        state.withLock { state in
            guard state.token?.text == token.text else { return }
            state.token = nil
            state.choice.refuse(token.key, at: now)
        }
    }

    /// Signs with other keys from now on, the newest first. Nothing happens where there is none, or where they are the same.
    package func replaceKeys(_ keys: [SigningKey]) {
        state.withLock { state in
            guard !keys.isEmpty, !state.keys.elementsEqual(keys, by: { $0.isSame(as: $1) }) else { return }
            state = State(keys: keys)
        }
    }

    private func make(by place: Int, of keys: [SigningKey], _ now: Date) throws(SigningError) -> APIToken {
        guard keys.indices.contains(place) else { throw SigningError(.signingFailed, "there is no key") }
        let issued = try now.unixSeconds()
        let (expires, overflow) = issued.addingReportingOverflow(lifetime.components.seconds)
        guard !overflow else { throw SigningError(.invalidDate, "the clock shows no usable date") }
        let claims = TokenClaims(iss: issuerID, iat: issued, exp: expires, bid: bundleID)
        return APIToken(
            text: try keys[place].sign(claims: claims), issuedAt: Date(timeIntervalSince1970: Double(issued)),
            expiresAt: Date(timeIntervalSince1970: Double(expires)), key: place)
    }
}

private struct TokenClaims: Encodable {
    let iss: String
    let iat: Int64
    let exp: Int64
    var aud = "appstoreconnect-v1"
    let bid: String
}
