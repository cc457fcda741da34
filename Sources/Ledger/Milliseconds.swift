internal import AppStoreModels
package import Foundation

/// An instant in the ledger and the API: milliseconds since 1970.
package typealias Milliseconds = Int64

extension Date {
    /// Milliseconds since 1970, limited to the dates that can be encoded. No decoded payload has another date.
    package var milliseconds: Milliseconds {
        let range = Self.representableMilliseconds
        return millisecondsSince1970 ?? (timeIntervalSince1970 < 0 ? range.lowerBound : range.upperBound)
    }

    /// Creates the instant that is `milliseconds` after 1970, or a distant one if it is outside of the range of dates.
    package init(milliseconds: Milliseconds) {
        self = Date(millisecondsSince1970: milliseconds) ?? (milliseconds < 0 ? .distantPast : .distantFuture)
    }
}
