internal import Ledger
internal import Foundation
internal import GRDB

/// Columns as they are: nil for any other type than the one expected. GRDB's own subscripts end the process there, and a
/// file can be damaged, or have been written by somebody else.
extension Row {
    func number(_ index: Int) -> Int64? {
        if case .int64(let number) = (self[index] as DatabaseValue).storage { number } else { nil }
    }

    func small(_ index: Int) -> Int32? { number(index).map { Int32(clamping: $0) } }

    func text(_ index: Int) -> String? {
        if case .string(let text) = (self[index] as DatabaseValue).storage { text } else { nil }
    }

    func blob(_ index: Int) -> Data? {
        if case .blob(let blob) = (self[index] as DatabaseValue).storage { blob } else { nil }
    }
}
