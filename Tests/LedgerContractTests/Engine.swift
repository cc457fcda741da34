import Foundation
import Ledger
import LedgerSQLite
import MemoryLedger
import Testing

/// The databases that the contract suite passes on. A new one gets a case here, and nothing else.
enum Engine: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory
    case sqlite

    var testDescription: String { rawValue }

    /// A new ledger. What it keeps in files is in the folder.
    func open(in folder: URL) throws -> any LedgerEngine {
        switch self {
        case .memory: return MemoryLedger()
        case .sqlite:
            var options = SQLiteStorage.Options()
            options.isSynchronous = false
            return try SQLiteStorage(path: folder.appending(path: UUID().uuidString).path, options: options)
        }
    }
}
