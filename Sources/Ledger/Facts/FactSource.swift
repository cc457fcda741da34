/// The signed text that contains a fact: a notification, or a signed fact, which was received without one.
///
/// Records store the source as one number (``code``).
package enum FactSource: Sendable, Hashable {
    /// The row identifier of the notification.
    case notification(Int64)
    /// The row identifier of the signed fact.
    case signedFact(Int64)

    /// Creates the source from its ``code``; nil for numbers without a meaning.
    package init?(code: Int64) {
        switch code {
        case 0, .min: return nil
        case ..<0: self = .signedFact(-code)
        default: self = .notification(code)
        }
    }

    /// The row identifier of a notification, or the negated row identifier of a signed fact.
    package var code: Int64 {
        switch self {
        case .notification(let number): number
        case .signedFact(let number): -number
        }
    }

    /// The row identifier of the notification; nil for a signed fact.
    package var notification: Int64? {
        if case .notification(let number) = self { number } else { nil }
    }

    /// The row identifier of the signed fact; nil for a notification.
    package var signedFact: Int64? {
        if case .signedFact(let number) = self { number } else { nil }
    }
}
