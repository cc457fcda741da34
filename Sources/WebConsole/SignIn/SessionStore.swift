internal import Basics
internal import Crypto
package import Foundation
internal import Synchronization

/// Stores the sessions of signed-in users in memory, by the SHA-256 of the cookie's token. A restart ends all sessions.
package final class SessionStore: Sendable {
    /// A session.
    package struct Session: Sendable, Hashable {
        /// The first eight hexadecimal digits of the hash. They identify the session in logs and lists without
        /// revealing the token.
        package let id: String
        /// The name of the configured key that opened the session.
        package let key: String
        /// The SHA-256 of that key. A new key with the same name does not continue the session.
        package let keyDigest: Data
        package let address: String
        package let started: Date
        package var lastUsed: Date
    }

    private static let lifetime: TimeInterval = 12 * 3600
    private static let idleTime: TimeInterval = 3600

    private let sessions = Mutex<[String: Session]>([:])
    private let now: @Sendable () -> Date
    private let capacity: Int

    package init(capacity: Int = 1000, now: @escaping @Sendable () -> Date = { Date() }) {
        (self.capacity, self.now) = (capacity, now)
    }

    /// Opens a session. It always gets a new token, whatever cookie the browser sent (session fixation).
    ///
    /// - Returns: The token for the cookie, 256 random bits, and the session.
    package func start(key: String, digest: Data, address: String) -> (token: String, session: Session) {
        let token = SymmetricKey(size: .bits256).withUnsafeBytes { Base64.encodeURL(Array($0)) }
        let hash = Self.hash(token)
        let date = now()
        let session = Session(
            id: String(hash.prefix(8)), key: key, keyDigest: digest, address: address, started: date, lastUsed: date)
        sessions.withLock { sessions in
            sessions = sessions.filter { isOpen($0.value, at: date) }
            if sessions.count >= capacity, let oldest = sessions.min(by: { $0.value.lastUsed < $1.value.lastUsed }) {
                sessions[oldest.key] = nil
            }
            sessions[hash] = session
        }
        return (token, session)
    }

    /// Returns the session of a token; nil if it does not exist or has expired.
    ///
    /// - Parameter countsAsUse: Whether the request is a user's action. Automatic requests of an open page do not
    ///   extend the session.
    package func session(_ token: String?, countsAsUse: Bool = true) -> Session? {
        guard let token, token.utf8.count == 43 else { return nil }
        let hash = Self.hash(token)
        let date = now()
        return sessions.withLock { sessions in
            guard var session = sessions[hash] else { return nil }
            guard isOpen(session, at: date) else {
                sessions[hash] = nil
                return nil
            }
            guard countsAsUse else { return session }
            session.lastUsed = date
            sessions[hash] = session
            return session
        }
    }

    /// Ends the session of a token, if there is one.
    package func end(_ token: String?) {
        guard let token else { return }
        sessions.withLock { $0[Self.hash(token)] = nil }
    }

    /// Ends all sessions that match. Returns their number.
    @discardableResult
    package func end(where matches: (Session) -> Bool) -> Int {
        sessions.withLock { sessions in
            let count = sessions.count
            sessions = sessions.filter { !matches($0.value) }
            return count - sessions.count
        }
    }

    /// The open sessions, latest first.
    package var open: [Session] {
        let date = now()
        return sessions.withLock { $0.values.filter { isOpen($0, at: date) } }.sorted { $0.started > $1.started }
    }

    private func isOpen(_ session: Session, at date: Date) -> Bool {
        // A negative time means that the clock was set back, which must not extend a session.
        let (age, idle) = (date.timeIntervalSince(session.started), date.timeIntervalSince(session.lastUsed))
        return min(age, idle) >= -60 && age < Self.lifetime && idle < Self.idleTime
    }

    private static func hash(_ token: String) -> String { Array(SHA256.hash(data: Data(token.utf8))).hexadecimal }
}
