/// Reports the health of the storage.
package protocol HealthStorage: Sendable {
    /// Commits a write that changes nothing.
    ///
    /// - Throws: ``StorageError`` if the storage is not writable.
    func checkWritable() async throws

    /// The number of commits since the ledger was opened. While the number is the same, the contents are the same, so
    /// an engine to which several servers write counts the commits of all, those of the others up to a few seconds
    /// late. Reading the number never waits. ``checkWritable()`` does not count.
    var commits: Int { get }

    /// The size in bytes of the part of the write-ahead log that is not checkpointed; nil if there is no such log or it
    /// cannot be read.
    var logBytes: Int? { get }
}
