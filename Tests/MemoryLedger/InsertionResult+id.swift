package import Ledger

extension InsertionResult {
    /// The row identifier.
    package var id: Int64 {
        switch self {
        case .stored(let id), .duplicate(let id): id
        }
    }
}
