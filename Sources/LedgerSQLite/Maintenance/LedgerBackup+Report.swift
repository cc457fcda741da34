internal import Ledger

extension LedgerBackup {
    /// The contents of a copy.
    package struct Report: Sendable, Hashable {
        /// The digest of the ledger: see ``SQLiteStorage/digest()``. Corrupt records contribute their bytes.
        package var digest: String
        package var bytes: Int
        package var notifications: Int
        /// The number of corrupt records and texts.
        package var damages = 0
        /// Descriptions of the first of them.
        package var damaged: [String] = []

        private static let listed = 100

        mutating func add(_ damage: StorageError) {
            damages += 1
            if damaged.count < Self.listed { damaged.append(damage.message) }
        }
    }
}
