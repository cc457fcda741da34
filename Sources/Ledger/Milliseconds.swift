internal import AppStoreModels
package import Foundation

/// An instant as the ledger and the API write it: milliseconds since 1970.
package typealias Milliseconds = Int64

extension Date {
    /// Milliseconds since 1970. Beyond what JSON dates may be, which no payload that was read can be, the nearest one.
    package var milliseconds: Milliseconds {
        if let milliseconds = millisecondsSince1970 { return milliseconds }
        return timeIntervalSince1970 < 0 ? -8_640_000_000_000_000 : 8_640_000_000_000_000
    }

    /// The instant so many milliseconds after 1970.
    package init(milliseconds: Milliseconds) {
        self = Date(millisecondsSince1970: milliseconds) ?? (milliseconds < 0 ? .distantPast : .distantFuture)
    }
}
