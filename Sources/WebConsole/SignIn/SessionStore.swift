internal import Basics
internal import Crypto
package import Foundation
internal import Synchronization

/// Who is signed in. Sessions are kept in memory, by the SHA-256 of what the cookie says; a restart ends all.
package final class SessionStore: Sendable {
    /// A session.
    package struct Session: Sendable, Hashable {
        /// Eight hexadecimal digits of the hash, which name it in logs and lists without giving it away.
        package let id: String
        /// The key of the configuration that it was opened with.
        package let key: String
        /// The SHA-256 of the key's text: a new key of the same name does not go on with the session.
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

    /// Opens a session, always a new one: what a browser had before counts for nothing.
    ///
    /// - Returns: What the cookie says, 256 random bits, and the session.
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

    /// The session of a cookie; nil if there is none, or no longer.
    ///
    /// - Parameter countsAsUse: Whether somebody uses it now. What an open page asks for by itself does not keep it open.
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

    package func end(_ token: String?) {
        guard let token else { return }
        sessions.withLock { $0[Self.hash(token)] = nil }
    }

    /// Ends the sessions for which that holds: of one identifier, of a key that is gone.
    @discardableResult
    package func end(where isMeant: (Session) -> Bool) -> Int {
        sessions.withLock { sessions in
            let count = sessions.count
            sessions = sessions.filter { !isMeant($0.value) }
            return count - sessions.count
        }
    }

    /// The open sessions, the latest first.
    package var open: [Session] {
        let date = now()
        return sessions.withLock { $0.values.filter { isOpen($0, at: date) } }.sorted { $0.started > $1.started }
    }

    private func isOpen(_ session: Session, at date: Date) -> Bool {
        // A clock that was put back must not keep a session open.
        let (age, idle) = (date.timeIntervalSince(session.started), date.timeIntervalSince(session.lastUsed))
        return age >= -60 && age < Self.lifetime && idle < Self.idleTime
    }

    private static func hash(_ token: String) -> String { Array(SHA256.hash(data: Data(token.utf8))).hexadecimal }
}
