internal import AppStoreModels
public import AppStoreTrust
public import Foundation

extension SignedDataVerifier {
    /// What a verifier accepts and how strictly.
    public struct Configuration: Sendable {
        /// Whose data is accepted.
        public var apps: AcceptedApps

        /// The roots that a chain may end at. Default: Apple's three.
        public var anchors: TrustAnchors = .apple

        /// When the certificates have to be valid. Default: now.
        public var validAt: ValidationInstant = .now

        /// Whether and how revocation is asked about. Default: not at all.
        public var revocation: RevocationOptions?

        /// Certificates, PEM or DER, that Xcode signs local test data with. What they sign is accepted for the
        /// environments `Xcode` and `LocalTesting` only, and only where ``apps`` lists those. Default: none.
        public var enrolledXcodeCertificates: [Data] = []

        /// The largest JWS in bytes. Default: 256 KiB, some twelve times the largest genuine one known.
        public var maximumBytes = 256 * 1024

        /// How many proven chains are kept. Default: 64; the App Store uses a handful.
        public var chainCacheCapacity = 64

        /// The clock. Default: the system's.
        public var now: @Sendable () -> Date = { Date() }

        /// Accepts data for `apps`, judged by Apple's roots now, without asking about revocation.
        public init(apps: AcceptedApps) { self.apps = apps }
    }
}

/// The instant at which the certificates of a chain have to be valid.
public enum ValidationInstant: Sendable, Hashable {
    /// Now: for data that was just received.
    case now
    /// When the data says it was signed: for data kept from earlier, whose certificates have since expired. The date is
    /// the signer's, and is read only once the signature holds. Payloads without a date are judged now.
    case signingDate
    /// At this instant.
    case at(Date)

    func instant(signingDate: Date?, now: () -> Date) -> Date {
        switch self {
        case .now: now()
        case .signingDate: signingDate ?? now()
        case .at(let instant): instant
        }
    }
}
