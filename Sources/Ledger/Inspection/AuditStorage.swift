internal import Crypto
package import Foundation

/// Something that somebody did, or was not allowed to do.
package struct AuditEntry: Sendable, Hashable {
    /// When.
    package var at: Milliseconds
    /// The name of the key.
    package var actor: String
    /// The beginning of the digest of the console's session; nil for who showed the key itself.
    package var session: String?
    /// The address that it came from.
    package var address: String?
    /// What was asked for, such as `POST /v1/customers/{id}/grants`.
    package var action: String
    /// What it was about, such as a customer's identifier.
    package var target: String?
    /// What was wanted or changed, shortened.
    package var detail: String?
    /// How it ended, such as `201` or `403 forbidden`.
    package var result: String

    package init(
        at: Milliseconds, actor: String, session: String? = nil, address: String? = nil, action: String,
        target: String? = nil, detail: String? = nil, result: String
    ) {
        (self.at, self.actor, self.session, self.address) = (at, actor, session, address)
        (self.action, self.target, self.detail, self.result) = (action, target, detail, result)
    }

    /// How many of the oldest go with each commit, at most.
    package static let maximumDropped = 200

    /// The digest of this entry and of the one before it: who removes or changes one has to change all that follow.
    ///
    /// SHA-256 over the digest before and each member, with its length before it and a mark for what is missing.
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

/// An entry of the audit log as it is kept.
package struct KeptAuditEntry: Sendable, Hashable {
    package var id: Int64
    package var entry: AuditEntry
    package var digest: Data

    package init(id: Int64, entry: AuditEntry, digest: Data) {
        (self.id, self.entry, self.digest) = (id, entry, digest)
    }

    /// The numbers of the entries that do not follow the one before them: something was removed or changed there.
    ///
    /// - Parameter entries: Entries without a gap, the oldest first. What came before the first of them is not known.
    package static func breaks(in entries: some Sequence<KeptAuditEntry>) -> [Int64] {
        var (found, last): ([Int64], Data?) = ([], nil)
        for kept in entries {
            if let last, kept.entry.digest(after: last) != kept.digest { found.append(kept.id) }
            last = kept.digest
        }
        return found
    }
}

/// Keeps who did what. Nothing in it is ever changed; it is no part of the ledger's digest.
package protocol AuditStorage: Sendable {
    /// Adds entries, each chained to the one before, and drops the oldest up to the first that is not from before an instant,
    /// at most ``AuditEntry/maximumDropped``. They go in the order in which they were added, whatever the clock showed.
    func appendAudit(_ entries: [AuditEntry], dropping before: Milliseconds) async throws

    /// What was done, the last first.
    func audit(before id: Int64, limit: Int) async throws -> [KeptAuditEntry]
}
