public import Foundation

/// The instant at which the certificates of a chain have to be valid.
@nonexhaustive
public enum ValidationInstant: Sendable, Hashable {
    /// Now: for data that was just received.
    case now
    /// When the data says it was signed: for data kept from earlier, whose certificates have since expired. The date is the
    /// signer's, and is read only once the signature holds. What carries no date is judged now.
    case signingDate
    /// At this instant.
    case at(Date)

    package func instant(signingDate: Date?, now: () -> Date) -> Date {
        switch self {
        case .now: now()
        case .signingDate: signingDate ?? now()
        case .at(let instant): instant
        }
    }
}
