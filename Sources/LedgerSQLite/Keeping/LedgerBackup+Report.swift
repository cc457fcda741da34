internal import Ledger

extension LedgerBackup {
    /// What a copy holds.
    package struct Report: Sendable, Hashable {
        /// See ``SQLiteStorage/digest()``. Of what is damaged it has the bytes as they are.
        package var digest: String
        package var bytes: Int
        package var notifications: Int
        /// How many records and texts cannot be read.
        package var damages = 0
        /// Which the first of them are.
        package var damaged: [String] = []

        private static let listed = 100

        mutating func add(_ damage: StorageError) {
            damages += 1
            if damaged.count < Self.listed { damaged.append(damage.message) }
        }
    }
}
