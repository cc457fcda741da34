/// A text in the inbox or among the failures: a notification, or a different text with the UUID of a notification.
///
/// Both are identified by one number (``code``).
package enum InboxText: Sendable, Hashable {
    /// The row identifier of the notification.
    case notification(Int64)
    /// The row identifier of the different text.
    case otherText(Int64)

    /// Creates the text from its ``code``.
    package init(code: Int64) {
        // The least number is not the code of a different text: it cannot be negated.
        self = code < 0 && code != .min ? .otherText(-code) : .notification(code)
    }

    /// The row identifier of a notification, or the negated row identifier of a different text.
    package var code: Int64 {
        switch self {
        case .notification(let number): number
        case .otherText(let number): -number
        }
    }

    /// The row identifier of the notification; nil for a different text.
    package var notification: Int64? {
        if case .notification(let number) = self { number } else { nil }
    }

    /// The row identifier of the different text; nil for a notification.
    package var otherText: Int64? {
        if case .otherText(let number) = self { number } else { nil }
    }
}
