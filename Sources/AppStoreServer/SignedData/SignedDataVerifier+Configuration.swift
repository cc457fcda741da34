public import AppStoreTrust
public import Foundation

extension SignedDataVerifier {
    /// The data that a verifier accepts, and how strictly it checks them.
    public struct Configuration: Sendable {
        /// The apps whose data are accepted.
        public var apps: AcceptedApps

        /// The root certificates at which a chain may end. Default: Apple's three.
        public var anchors: TrustAnchors = .apple

        /// The instant at which the certificates have to be valid. Default: now.
        public var validationTime: ValidationTime = .now

        /// Whether and how revocation is checked. Default: not at all.
        public var revocation: RevocationOptions?

        /// The certificates, PEM or DER, with which Xcode signs local test data. They are accepted only for the
        /// environments `Xcode` and `LocalTesting`, and only if ``apps`` contains those. Default: none.
        public var enrolledXcodeCertificates: [Data] = []

        /// The maximum size of a JWS, in bytes. Default: 256 KiB, some twelve times the largest genuine one known.
        public var maximumBytes = 256 * 1024

        /// The maximum number of cached chains. Default: 64; the App Store uses a handful.
        public var chainCacheCapacity = 64

        /// The clock. Default: the system's.
        public var now: @Sendable () -> Date = { Date() }

        /// Accepts data for `apps`, with Apple's root certificates, valid now, without checking revocation.
        public init(apps: AcceptedApps) { self.apps = apps }
    }
}
