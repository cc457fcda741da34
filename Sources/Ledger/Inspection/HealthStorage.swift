/// What the ledger's storage says about its health.
package protocol HealthStorage: Sendable {
    /// Writes something that changes nothing.
    ///
    /// - Throws: ``StorageError`` when nothing can be kept.
    func checkWritable() async throws
}
