internal import AppStoreTrust
public import Foundation

/// Validates receipts: ``validate(base64:deviceID:)`` in one call, or step by step.
///
/// 1. ``authenticate(base64:)``: the signature, and the chain of its certificate to an anchor as of the receipt's creation.
/// 2. ``checkApp(_:)``, ``checkDevice(_:of:)``, ``checkEnvironment(_:)``, ``checkExpiration(_:)``: it is for this app, this
///    device, an environment that is served, and still holds.
/// 3. ``purchases(of:)``: what was bought.
///
/// Needs no network. Step 2 takes the result of step 1, so the order cannot be missed.
public struct ReceiptValidator: Sendable {
    /// The roots that a chain may end at.
    public var anchors: TrustAnchors

    /// Certificates for chains that a receipt does not bring along completely. Not trusted.
    public var intermediates: CertificatePool

    /// The certificates by which Xcode's receipts are accepted, in the environment Xcode only. Nil: not at all.
    ///
    /// Xcode's private key ships with the development tools, so anyone can sign with it: enrol it for tests alone.
    public var xcodeCertificates: TrustAnchors?

    /// The bundle identifiers that are accepted; nil for any.
    public var bundleIDs: Set<String>?

    /// The versions of the app that are accepted; nil for any, which is what a server wants.
    public var versions: Set<String>?

    /// The environments that are accepted; nil for any that is known. Xcode needs ``xcodeCertificates`` besides.
    public var environments: Set<ReceiptEnvironment>?

    /// The instant at which the certificates have to be valid. Default: when the receipt was created (for a transaction
    /// receipt, when the purchase was made), as Apple's documentation has it, because receipts stay on devices for longer
    /// than the certificates last.
    public var validAt: ValidationInstant

    /// How much is read.
    public var limits: ReceiptLimits

    /// The present.
    public var now: @Sendable () -> Date

    /// A validator; without arguments for any app, any device, production and sandbox, against Apple's roots.
    public init(
        anchors: TrustAnchors = .apple, intermediates: CertificatePool = .empty, xcodeCertificates: TrustAnchors? = nil,
        bundleIDs: Set<String>? = nil, versions: Set<String>? = nil, environments: Set<ReceiptEnvironment>? = nil,
        validAt: ValidationInstant = .signingDate, limits: ReceiptLimits = ReceiptLimits(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.anchors = anchors
        self.intermediates = intermediates
        self.xcodeCertificates = xcodeCertificates
        self.bundleIDs = bundleIDs
        self.versions = versions
        self.environments = environments
        self.validAt = validAt
        self.limits = limits
        self.now = now
    }

    /// All steps on a receipt in base64.
    ///
    /// - Parameter deviceID: The device's identifier as ``checkDevice(_:of:)`` takes it; nil to leave out that check.
    /// - Throws: The first reason to refuse, in the order of the steps.
    public func validate(base64 text: String, deviceID: Data? = nil) throws(VerificationError) -> Verified<Receipt> {
        try check(authenticate(base64: text), deviceID: deviceID)
    }

    /// All steps on a receipt as it lies in a file or a request: its bytes, or their base64.
    public func validate(contents: Data, deviceID: Data? = nil) throws(VerificationError) -> Verified<Receipt> {
        try check(authenticate(contents: contents), deviceID: deviceID)
    }

    /// Step 1 on a receipt in base64: signature, chain, markers, the instant, and that the kind of receipt fits its signer.
    ///
    /// - Throws: `malformed_receipt`, `bad_base64url`, `too_large`; `not_enrolled` for an Xcode receipt; a reason of the
    ///   chain; `unsupported_algorithm`, `bad_signature`; `wrong_environment` for a signer that has no business there.
    public func authenticate(base64 text: String) throws(VerificationError) -> Verified<Receipt> {
        try authenticate(ReceiptBytes(base64: text, limits: limits))
    }

    /// Step 1 on a receipt as it lies in a file or a request: its bytes, or their base64.
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

    func instant(signedDate: Date) -> Date { validAt.instant(signingDate: signedDate, now: now) }
}
