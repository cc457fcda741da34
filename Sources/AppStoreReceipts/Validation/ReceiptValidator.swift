public import AppStoreModels
internal import AppStoreTrust
public import Foundation

/// Validates receipts: with ``validate(base64:deviceID:)`` in one call, or step by step.
///
/// 1. ``authenticate(base64:)`` verifies the signature, and the certificate chain to an anchor as of the receipt's
/// creation.
/// 2. ``checkEnvironment(_:)``, ``checkApp(_:)``, ``checkDevice(_:of:)`` and ``checkExpiration(_:)`` check that the
/// receipt is for an accepted environment, this app and this device, and has not expired.
/// 3. ``purchases(of:)`` returns the purchases.
///
/// Needs no network. Step 2 requires the result of step 1, so the order cannot be wrong.
public struct ReceiptValidator: Sendable {
    /// The root certificates at which a chain may end.
    public var anchors: TrustAnchors

    /// Certificates for receipts that do not contain a complete chain. Not trusted.
    public var intermediates: CertificatePool

    /// The certificates with which Xcode's receipts are accepted, only in the environment Xcode. Nil: not accepted.
    ///
    /// Xcode's private key ships with the development tools, so anyone can sign with it: enrol it only for tests.
    public var xcodeCertificates: TrustAnchors?

    /// The accepted bundle identifiers; nil for any.
    public var bundleIDs: Set<String>?

    /// The accepted versions of the app; nil for any, which is right for most servers.
    public var versions: Set<String>?

    /// The accepted environments; nil for any known one. Xcode also needs ``xcodeCertificates``.
    public var environments: Set<AppStoreEnvironment>?

    /// The instant at which the certificates have to be valid. Default: the creation of the receipt (for a transaction
    /// receipt, the purchase), as in Apple's documentation, because receipts outlive the certificates.
    public var validationTime: ValidationTime

    /// The limits for the size of a receipt.
    public var limits: ReceiptLimits

    /// Returns the present.
    public var now: @Sendable () -> Date

    /// Creates a validator. By default it accepts any app, any device, production and sandbox, and uses Apple's roots.
    public init(
        anchors: TrustAnchors = .apple, intermediates: CertificatePool = .empty, xcodeCertificates: TrustAnchors? = nil,
        bundleIDs: Set<String>? = nil, versions: Set<String>? = nil, environments: Set<AppStoreEnvironment>? = nil,
        validationTime: ValidationTime = .signingDate, limits: ReceiptLimits = ReceiptLimits(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.anchors = anchors
        self.intermediates = intermediates
        self.xcodeCertificates = xcodeCertificates
        self.bundleIDs = bundleIDs
        self.versions = versions
        self.environments = environments
        self.validationTime = validationTime
        self.limits = limits
        self.now = now
    }

    /// Performs all steps on a receipt in base64.
    ///
    /// - Parameter deviceID: The device's identifier, as for ``checkDevice(_:of:)``; nil to skip that check.
    /// - Throws: The first error, in the order of the steps.
    public func validate(base64 text: String, deviceID: Data? = nil) throws(VerificationError) -> Verified<Receipt> {
        try check(authenticate(base64: text), deviceID: deviceID)
    }

    /// Performs all steps on a receipt from a file or a request: bytes or base64.
    public func validate(contents: Data, deviceID: Data? = nil) throws(VerificationError) -> Verified<Receipt> {
        try check(authenticate(contents: contents), deviceID: deviceID)
    }

    /// Performs step 1 on a receipt in base64: verifies signature, chain, markers and dates, and that the signer may
    /// sign for the receipt's environment.
    ///
    /// - Throws: `malformed_receipt`, `bad_base64url`, `too_large`; `not_enrolled` for an Xcode receipt; a code for the
    ///   chain; `unsupported_algorithm`, `bad_signature`; `wrong_environment` if the signer may not sign for the
    ///   environment.
    public func authenticate(base64 text: String) throws(VerificationError) -> Verified<Receipt> {
        try authenticate(ReceiptBytes(base64: text, limits: limits))
    }

    /// Performs step 1 on a receipt from a file or a request: bytes or base64.
    public func authenticate(contents: Data) throws(VerificationError) -> Verified<Receipt> {
        try authenticate(ReceiptBytes(contents: contents, limits: limits))
    }

    private func authenticate(_ input: ReceiptBytes) throws(VerificationError) -> Verified<Receipt> {
        switch input.format {
        case .unified: try authenticateUnified(input)
        case .legacy: try authenticateLegacy(input)
        }
    }

    private func check(_ receipt: Verified<Receipt>, deviceID: Data?) throws(VerificationError) -> Verified<Receipt> {
        try checkEnvironment(receipt)
        try checkApp(receipt)
        if let deviceID { try checkDevice(deviceID, of: receipt) }
        try checkExpiration(receipt)
        return receipt
    }

    func instant(signedDate: Date) -> Date { validationTime.instant(signingDate: signedDate, now: now) }
}
