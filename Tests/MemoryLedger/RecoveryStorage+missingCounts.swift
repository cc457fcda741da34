package import Ledger

extension RecoveryStorage {
    /// Returns the numbers of missing items in one scope.
    package func missingCounts(in scope: Int64) async throws -> MissingCounts {
        try await missingCounts(in: [scope])[scope] ?? MissingCounts()
    }
}
