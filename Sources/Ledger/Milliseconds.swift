internal import AppStoreModels
package import Foundation

/// An instant in the ledger and the API: milliseconds since 1970.
package typealias Milliseconds = Int64

extension Date {
    /// Milliseconds since 1970, limited to the range of JSON dates. No decoded payload has a date outside of that
    /// range.
    package var milliseconds: Milliseconds {
        if let milliseconds = millisecondsSince1970 { return milliseconds }
        return timeIntervalSince1970 < 0 ? -8_640_000_000_000_000 : 8_640_000_000_000_000
    }

    /// Creates the instant that is `milliseconds` after 1970, or a distant one if it is outside of the range of dates.
    package init(milliseconds: Milliseconds) {
        self = Date(millisecondsSince1970: milliseconds) ?? (milliseconds < 0 ? .distantPast : .distantFuture)
    }
}
