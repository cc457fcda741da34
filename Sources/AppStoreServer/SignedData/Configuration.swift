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
