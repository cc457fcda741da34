package import AppStoreModels
internal import Crypto
package import Foundation

/// An action of a key or a console user, allowed or refused.
package struct AuditEntry: Sendable, Hashable {
    package var at: Milliseconds
    /// The name of the key.
    package var actor: String
    /// A prefix of the digest of the console session; nil if the request contained the key itself.
    package var session: String?
    /// The address of the client.
    package var address: String?
    /// The request, such as `POST /v1/customers/{id}/grants`.
    package var action: String
    /// The object, such as a customer's identifier.
    package var target: String?
    /// The parameters or the change, shortened.
    package var detail: String?
    /// The result, such as `201` or `403 forbidden`.
    package var result: String

    package init(
        at: Milliseconds, actor: String, session: String? = nil, address: String? = nil, action: String,
        target: String? = nil, detail: String? = nil, result: String
    ) {
        (self.at, self.actor, self.session, self.address) = (at, actor, session, address)
        (self.action, self.target, self.detail, self.result) = (action, target, detail, result)
    }

    /// How long entries are stored, in milliseconds.
    package static let retention: Milliseconds = 400 * 86_400_000

    /// Returns how many of the oldest entries are deleted: those up to the first one that is not older than
    /// ``retention``. If the clock was ahead, entries have dates in the future. They are deleted with the entries after
    /// them.
    ///
    /// - Parameters:
    ///   - instants: The dates of the oldest entries, in the order of insertion.
    ///   - next: The date of the first entry after them that is not in the future; nil if there is none.
    ///   - now: The present instant.
    package static func expiredCount(
        _ instants: [Milliseconds], followedBy next: () throws -> Milliseconds?, at now: Milliseconds
    ) rethrows -> Int {
        let before = now - retention
        let oldest = instants.prefix { $0 < before || $0 > now }
        // The clock may have been ahead at all of them.
        if oldest.count == instants.count, let last = oldest.last, last > now, let following = try next(),
            following < before
        {
            return oldest.count
        }
        return oldest.lastIndex { $0 < before }.map { $0 + 1 } ?? 0
    }

    /// Returns the digest of this entry and its predecessor's digest. So removing or changing an entry requires a
    /// change of all later ones.
    ///
    /// SHA-256 over the previous digest and each member, with a length prefix and a marker for nil.
    package func digest(after previous: Data) -> Data {
        var hash = SHA256()
        func add(_ bytes: Data?) {
            guard let bytes else { return hash.update(data: [0]) }
            hash.update(data: [1])
            withUnsafeBytes(of: UInt64(bytes.count).bigEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: bytes)
        }
        add(previous)
        withUnsafeBytes(of: at.bigEndian) { hash.update(bufferPointer: $0) }
        for text in [actor, session, address, action, target, detail, result] as [String?] {
            add(text.map { Data($0.utf8) })
        }
        return Data(hash.finalize())
    }
}

/// A stored entry of the audit log.
package struct StoredAuditEntry: Sendable, Hashable, Identifiable {
    package var id: Int64
    package var entry: AuditEntry
    package var digest: Data
    /// The digest of the entry before it; nil for the oldest entry.
    package var previous: Data?

    package init(id: Int64, entry: AuditEntry, digest: Data, previous: Data?) {
        (self.id, self.entry, self.digest, self.previous) = (id, entry, digest, previous)
    }

    /// Whether the digest matches the entry and its predecessor. If not, an entry was removed or changed there. The
    /// oldest entry is not checked, because its predecessor was deleted.
    package var isChained: Bool { previous.map { entry.digest(after: $0) == digest } ?? true }
}

/// Which entries of the audit log to list. Texts are compared by their bytes.
package struct AuditFilter: Sendable {
    /// The objects, or the spellings of one; nil for all entries. An index has them.
    package var targets: Set<ExactText>?
    /// The name of the key, or the session of the console.
    package var actor: String?
    package var action: String?
    /// The maximum number of entries (of each target, if there are any) that are searched for an actor or an action.
    package var scanLimit = 20_000

    package init() {}

    /// Whether entries must be searched for an actor or an action.
    package var needsScan: Bool { actor != nil || action != nil }

    /// Returns how many entries to read for a page. Without a search, each of them is on the page or after it.
    package func entriesToRead(forPageOf limit: Int) -> Int { needsScan ? scanLimit : limit + 1 }
}

/// A page of the audit log. Each target is searched on its own.
package typealias AuditList = SearchPage<StoredAuditEntry>

/// Stores the audit log. Entries never change; they are not part of the ledger's digest.
package protocol AuditStorage: Sendable {
    /// Appends entries, each chained to its predecessor. Repeating the call appends the entries again.
    /// ``RetentionStorage`` deletes old ones.
    func appendAudit(_ entries: [AuditEntry]) async throws

    /// Returns the entries that match a filter, the newest first. A page may have fewer entries than the limit although
    /// more follow: see ``AuditFilter/scanLimit``.
    func audit(_ filter: AuditFilter, before id: Int64, limit: Int) async throws -> AuditList
}
