/// The signed text that contains a fact: a notification, or a statement, which was received without one.
///
/// Records store the source as one number (``code``).
package enum FactSource: Sendable, Hashable {
    /// The row identifier of the notification.
    case notification(Int64)
    /// The row identifier of the statement.
    case statement(Int64)

    /// Creates the source from its ``code``; nil for numbers without a meaning.
    package init?(code: Int64) {
        switch code {
        case 0, .min: return nil
        case ..<0: self = .statement(-code)
        default: self = .notification(code)
        }
    }

    /// The row identifier of a notification, or the negated row identifier of a statement.
    package var code: Int64 {
        switch self {
        case .notification(let number): number
        case .statement(let number): -number
        }
    }

    /// The row identifier of the notification; nil for a statement.
    package var notification: Int64? {
        if case .notification(let number) = self { number } else { nil }
    }

    /// The row identifier of the statement; nil for a notification.
    package var statement: Int64? {
        if case .statement(let number) = self { number } else { nil }
    }
}
