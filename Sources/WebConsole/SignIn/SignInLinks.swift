internal import Basics
internal import Crypto
package import Foundation
internal import Synchronization

/// Links that sign somebody in, once and within two minutes. Whoever has the secret of the configuration can make one.
package struct SignInLinks: Sendable {
    private let key: SymmetricKey

    package init(secret: some Collection<UInt8>) {
        // A key of its own, so that nothing else that the secret signs is a link.
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Data(secret)), info: Data("counterfoil-console-link".utf8),
            outputByteCount: 32)
    }

    package static let lifetime: TimeInterval = 120

    /// The token of a link that signs in with that key.
    package func token(for keyName: String, now: Date = Date()) -> String {
        let id = SymmetricKey(size: .bits128).withUnsafeBytes { Base64.encodeURL(Array($0)) }
        let text = "\(Int64(now.timeIntervalSince1970)).\(id).\(Base64.encodeURL(Array(keyName.utf8)))"
        let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)
        return text + "." + Base64.encodeURL(Array(Data(code)))
    }

    /// What a token says, if it is genuine and of now.
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

/// Takes each sign-in link once.
package final class SignInRegistry: Sendable {
    private let links: SignInLinks
    private let used = Mutex<[String: Date]>([:])
    private let started: Date
    private let now: @Sendable () -> Date

    package init(_ links: SignInLinks, now: @escaping @Sendable () -> Date = { Date() }) {
        (self.links, self.now, started) = (links, now, now())
    }

    /// Whether the link would still sign in. Asking does not use it up: programs that preview links ask.
    package func isGood(_ token: String) -> Bool {
        guard let contents = genuine(token) else { return false }
        return used.withLock { $0[contents.id] == nil }
    }

    /// The name of the key that the link signs in with, the first time.
    package func redeem(_ token: String) -> String? {
        guard let contents = genuine(token) else { return nil }
        let date = now()
        return used.withLock { used in
            used = used.filter { date.timeIntervalSince($0.value) < SignInLinks.lifetime * 2 }
            guard used[contents.id] == nil, used.count < 10_000 else { return nil }
            used[contents.id] = date
            return contents.keyName
        }
    }

    private func genuine(_ token: String) -> (keyName: String, id: String, issued: Date)? {
        guard let contents = links.contents(token, now: now()) else { return nil }
        // Which links were used before the start is not known any more. Seconds are whole in a token.
        return contents.issued.timeIntervalSince(started) > -1 ? contents : nil
    }
}
