/// What the ledger's storage says about its health.
package protocol HealthStorage: Sendable {
    /// Writes something that changes nothing.
    ///
    /// - Throws: ``StorageError`` when nothing can be kept.
    func checkWritable() async throws

    /// How many changes were committed since the ledger was opened, by whomever: where it is the same as before, so is
    /// everything else. ``checkWritable()`` is none.
    var commits: Int { get }

    /// How many bytes are written beside the ledger and not yet brought into it; nil where there is no such log, or it
    /// cannot be looked at.
    var logBytes: Int? { get }
}
