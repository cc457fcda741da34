/// The text that a fact is from: a notification, or a statement, which came without one.
///
/// Records keep it as one number (``code``), and this is the one place that knows how.
package enum FactSource: Sendable, Hashable {
    /// By the number of the notification.
    case notification(Int64)
    /// By the number of the statement.
    case statement(Int64)

    /// Reads ``code``; nil for a number that stands for nothing.
    package init?(code: Int64) {
        switch code {
        case 0, .min: return nil
        case ..<0: self = .statement(-code)
        default: self = .notification(code)
        }
    }

    /// The number of a notification as it is, that of a statement as a negative one.
    package var code: Int64 {
        switch self {
        case .notification(let number): number
        case .statement(let number): -number
        }
    }

    /// The number of the notification; nil for a statement.
    package var notification: Int64? {
        if case .notification(let number) = self { number } else { nil }
    }

    /// The number of the statement; nil for a notification.
    package var statement: Int64? {
        if case .statement(let number) = self { number } else { nil }
    }
}
