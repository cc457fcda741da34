public import Foundation

/// The instant at which the certificates of a chain have to be valid.
@nonexhaustive
public enum ValidationTime: Sendable, Hashable {
    /// Now: for data that was just received.
    case now
    /// The signing date in the data: for stored data whose certificates have since expired. The signer chose the date,
    /// and it is read only after the signature was verified. Data without a date are verified as of now.
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
