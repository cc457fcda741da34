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

    /// The maximum number of old entries that are deleted with each commit.
    package static let maximumDropped = 200

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
package struct StoredAuditEntry: Sendable, Hashable {
    package var id: Int64
    package var entry: AuditEntry
    package var digest: Data

    package init(id: Int64, entry: AuditEntry, digest: Data) {
        (self.id, self.entry, self.digest) = (id, entry, digest)
    }

    /// Returns the row identifiers of the entries whose digest does not match their predecessor: an entry was removed
    /// or changed there.
    ///
    /// - Parameter entries: Consecutive entries, the oldest first. The predecessor of the first is not checked.
    package static func breaks(in entries: some Sequence<StoredAuditEntry>) -> [Int64] {
        var (found, last): ([Int64], Data?) = ([], nil)
        for stored in entries {
            if let last, stored.entry.digest(after: last) != stored.digest { found.append(stored.id) }
            last = stored.digest
        }
        return found
    }
}

/// Stores the audit log. Entries never change; they are not part of the ledger's digest.
package protocol AuditStorage: Sendable {
    /// Appends entries, each chained to its predecessor, and deletes the oldest entries up to the first one that is not
    /// before `before`, at most ``AuditEntry/maximumDropped``. The order is that of insertion, whatever the clock
    /// shows.
    func appendAudit(_ entries: [AuditEntry], dropping before: Milliseconds) async throws

    /// Returns the entries, the newest first.
    func audit(before id: Int64, limit: Int) async throws -> [StoredAuditEntry]
}
