internal import Basics
internal import Crypto
package import Foundation
internal import Synchronization

/// Creates and checks links that sign a user in, once and within two minutes. Creating one needs the configuration's
/// secret.
package struct SignInLinks: Sendable {
    private let key: SymmetricKey

    package init(secret: some Collection<UInt8>) {
        // A derived key, so that no other signature made with the secret is valid for a link.
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Data(secret)), info: Data("counterfoil-console-link".utf8),
            outputByteCount: 32)
    }

    /// How long a link is valid, in seconds.
    package static let lifetime: TimeInterval = 120

    /// Returns the token of a link that signs in with the key of this name.
    package func token(for keyName: String, now: Date = Date()) -> String {
        let id = SymmetricKey(size: .bits128).withUnsafeBytes { Base64.encodeURL(Array($0)) }
        let text = "\(Int64(now.timeIntervalSince1970)).\(id).\(Base64.encodeURL(Array(keyName.utf8)))"
        let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)
        return text + "." + Base64.encodeURL(Array(Data(code)))
    }

    /// Returns the contents of a token if its signature is valid and it has not expired.
    fileprivate func contents(_ token: String, now: Date) -> (keyName: String, id: String, issued: Date)? {
        guard token.utf8.count <= 1024 else { return nil }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, let code = Base64.decodeURL(parts[3]),
            HMAC<SHA256>.isValidAuthenticationCode(
                code, authenticating: Data(parts[0...2].joined(separator: ".").utf8), using: key),
            let seconds = Int64(parts[0]), let name = Base64.decodeURL(parts[2]),
            let keyName = String(validating: name, as: UTF8.self)
        else { return nil }
        let issued = Date(timeIntervalSince1970: TimeInterval(seconds))
        let age = now.timeIntervalSince(issued)
        guard age >= -5, age < Self.lifetime else { return nil }
        return (keyName, String(parts[1]), issued)
    }
}

/// Accepts each sign-in link once.
package final class SignInRegistry: Sendable {
    private let links: SignInLinks
    /// The identifiers of the last used links, oldest first. They are kept also after the links have expired, because
    /// the links are valid again if the clock was ahead and is set back.
    private let used = Mutex<[String]>([])
    /// The number of used links to remember.
    private static let capacity = 10_000
    private let started: Date
    private let begun = ContinuousClock.now
    private let now: @Sendable () -> Date

    package init(_ links: SignInLinks, now: @escaping @Sendable () -> Date = { Date() }) {
        (self.links, self.now, started) = (links, now, now())
    }

    /// Whether the link would sign in. The check does not use the link up, because programs that preview links request
    /// it too.
    package func isValid(_ token: String) -> Bool {
        guard let contents = genuine(token) else { return false }
        return used.withLock { !$0.contains(contents.id) }
    }

    /// Uses a link up and returns the name of its key. Returns nil if the link is invalid or was used before.
    package func redeem(_ token: String) -> String? {
        guard let contents = genuine(token) else { return nil }
        return used.withLock { used in
            guard !used.contains(contents.id) else { return nil }
            if used.count == Self.capacity { used.removeFirst() }
            used.append(contents.id)
            return contents.keyName
        }
    }

    private func genuine(_ token: String) -> (keyName: String, id: String, issued: Date)? {
        let date = now()
        guard let contents = links.contents(token, now: date) else { return nil }
        // Refuse links from before the start, because used ones are not stored. Tokens contain whole seconds. If the
        // clock was set back to before the start, only the monotonic clock tells how long ago that was.
        let isSetBack = date < started
        let uptime = isSetBack ? begun.duration(to: .now).seconds : date.timeIntervalSince(started)
        return date.timeIntervalSince(contents.issued) < uptime + 1 ? contents : nil
    }
}
