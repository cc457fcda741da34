internal import AppStoreModels
package import Foundation

/// An instant in the ledger and the API: milliseconds since 1970.
package typealias Milliseconds = Int64

extension Milliseconds {
    /// The next instant.
    var next: Milliseconds { self == .max ? self : self + 1 }

    /// Returns this instant, or the next one after `other` if that is later: what is recorded now follows what was
    /// recorded before, even within a millisecond or after the clock was set back.
    func advanced(past other: Milliseconds?) -> Milliseconds { other.map { Swift.max(self, $0.next) } ?? self }
}

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
