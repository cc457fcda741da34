public import AppStoreModels
public import AppStoreTrust
internal import Basics
internal import Foundation
internal import X509

/// Verifies data that the App Store signed: transactions, renewal information, notifications, app transactions and
/// retention requests.
///
/// One verifier serves any number of apps and both environments. It is a value, safe to share; copies share the cached
/// certificate chains and revocation status. Their locks are held only to copy a reference, and no actor is involved.
/// No value of a payload is used, and no network request is made, before the signature is verified.
///
/// Every method throws a ``VerificationError`` for the first check that fails; retry only `revocation_unknown`.
/// Cancellation does not end a verification: it takes some hundred microseconds, and with ``RevocationOptions`` at most
/// their limits longer.
public struct SignedDataVerifier: Sendable {
    private var configuration: Configuration
    private let trust: TrustedCertificates
    let cache: ChainCache
    private let revocation: RevocationChecker?
    private var signatures: VerifiedSignatureCache?

    /// Creates a verifier.
    ///
    /// - Throws: ``VerificationError`` with code `certificate_malformed` if an enrolled certificate cannot be read, or
    ///   if the enrolled data contain no certificate.
    public init(_ configuration: Configuration) throws(VerificationError) {
        self.configuration = configuration
        var enrolled: [[UInt8]: Certificate] = [:]
        for data in configuration.enrolledXcodeCertificates {
            for (der, certificate) in try CertificateFile.read(data) { enrolled[der] = certificate }
        }
        guard !enrolled.isEmpty || configuration.enrolledXcodeCertificates.isEmpty else {
            throw VerificationError(.certificateMalformed, "the enrolled data contain no certificate in PEM or DER")
        }
        trust = TrustedCertificates(anchors: configuration.anchors, enrolled: enrolled)
        cache = ChainCache(capacity: configuration.chainCacheCapacity)
        revocation = configuration.revocation.map { RevocationChecker($0, now: configuration.now) }
    }

    /// Returns a verifier that requires the certificates to be valid at another instant. Both share the cached chains,
    /// signatures and revocation status, which do not depend on that instant.
    package func validating(at instant: ValidationTime) -> SignedDataVerifier {
        var verifier = self
        verifier.configuration.validationTime = instant
        return verifier
    }

    /// Returns a verifier that accepts the data of other apps. Both share the cached chains, signatures and revocation
    /// status, which do not depend on the app.
    package func accepting(_ apps: AcceptedApps) -> SignedDataVerifier {
        var verifier = self
        verifier.configuration.apps = apps
        return verifier
    }

    /// Returns a verifier that does not verify signatures again that are in `signatures`.
    package func caching(_ signatures: VerifiedSignatureCache) -> SignedDataVerifier {
        var verifier = self
        verifier.signatures = signatures
        return verifier
    }

    /// Verifies a `signedTransactionInfo` or an element of `signedTransactions`.
    public func transaction(
        _ text: String
    ) async throws(VerificationError) -> Verified<JWSTransactionDecodedPayload> {
        try await verify(text)
    }

    /// Verifies a `signedRenewalInfo`. Renewal information does not name its app: only the environment is checked.
    public func renewalInfo(
        _ text: String
    ) async throws(VerificationError) -> Verified<JWSRenewalInfoDecodedPayload> {
        try await verify(text)
    }

    /// Verifies the `signedPayload` of an App Store Server Notification V2. The signed data inside are not verified:
    /// pass the result to ``content(of:)``.
    public func notification(
        _ text: String
    ) async throws(VerificationError) -> Verified<ResponseBodyV2DecodedPayload> {
        try await verify(text)
    }

    /// Verifies a notification, of which only the members need to be readable that are needed to store it.
    package func notificationEnvelope(
        _ text: String
    ) async throws(VerificationError) -> Verified<NotificationEnvelope> {
        try await verify(text)
    }

    /// Verifies an app transaction.
    public func appTransaction(_ text: String) async throws(VerificationError) -> Verified<AppTransaction> {
        try await verify(text)
    }

    /// Verifies the `signedPayload` of a Retention Messaging real-time request.
    public func realtimeRequest(
        _ text: String
    ) async throws(VerificationError) -> Verified<DecodedRealtimeRequestBody> {
        try await verify(text)
    }

    /// Verifies signed data of unknown kind.
    public func anyPayload(_ text: String) async throws(VerificationError) -> Verified<AnySignedPayload> {
        try await verify(text)
    }

    private func verify<Payload: SignedPayload>(_ text: String) async throws(VerificationError) -> Verified<Payload> {
        let (chain, json) = try verifiedPayload(text)
        let payload: Payload
        do {
            payload = try StrictJSONDecoder.decode(Payload.self, from: json)
        } catch {
            throw VerificationError(.badJSON, "the payload is not the JSON expected: \(DecodingProblem(error))")
        }
        let audience = payload.audience
        let instant = configuration.validationTime.instant(signingDate: audience.signingDate, now: configuration.now)
        try chain.certificates.requireValid(at: instant)
        try chain.requireAuthority(over: audience.environment)
        try configuration.apps.requireMatch(audience)
        let finding = try await finding(for: chain, signed: audience.signingDate)
        let trace = VerificationTrace(
            certificates: chain.certificates, anchor: chain.anchor, validatedAt: instant, revocation: finding)
        return Verified(checked: payload, text: text, trace: trace)
    }

    /// Returns the payload's bytes after verifying the chain and the signature.
    private func verifiedPayload(_ text: String) throws(VerificationError) -> (SigningChain, [UInt8]) {
        guard text.utf8.count <= configuration.maximumBytes else {
            throw VerificationError(.tooLarge, "the JWS is larger than \(configuration.maximumBytes) bytes")
        }
        var text = text
        return try text.withUTF8 { utf8 in
            Result { () throws(VerificationError) in try verifiedPayload(UnsafeRawBufferPointer(utf8)) }
        }.get()
    }

    private func verifiedPayload(_ text: UnsafeRawBufferPointer) throws(VerificationError) -> (SigningChain, [UInt8]) {
        let form = try CompactForm(text)
        let headerText = UnsafeRawBufferPointer(rebasing: text[form.header])
        let signature = try CompactForm.decode(form.signature, of: text, "signature")
        let payload = try CompactForm.decode(form.payload, of: text, "payload")
        let known = cache.chain(for: headerText)
        let chain: SigningChain
        if let known {
            chain = known
        } else {
            let json = try CompactForm.decode(form.header, of: text, "header")
            chain = try verifiedChain(ProtectedHeader(json: json), headerText)
        }
        try chain.requireSignature(signature, over: UnsafeRawBufferPointer(rebasing: text[form.payload]), signatures)
        // Store the chain only now: anyone can send a genuine header, but not a valid signature.
        if known == nil { cache.insert(chain, for: headerText) }
        return (chain, payload)
    }

    private func verifiedChain(
        _ header: ProtectedHeader, _ text: UnsafeRawBufferPointer
    ) throws(VerificationError) -> SigningChain {
        // The certificates are public, and a header can be varied endlessly. A genuine chain in a new header must not
        // cost two P-384 verifications each time.
        if let sibling = cache.chain(of: header.certificates) { return SigningChain(sibling, text: text) }
        return try SigningChain(header: header, text: text, trust: trust)
    }

    /// The age in seconds, one day, above which data verified as of their signing date cause no OCSP requests, whatever
    /// the policy: responders report the present status. A status that is cached already still counts.
    private static let maximumAgeForRequests: Double = 86_400

    private func finding(
        for chain: SigningChain, signed: Date?
    ) async throws(VerificationError) -> RevocationFinding {
        guard let revocation, case .appStore(let certificates) = chain.authority else { return .notChecked }
        if configuration.validationTime == .signingDate, let signed,
            configuration.now().timeIntervalSince(signed) > Self.maximumAgeForRequests
        {
            return try revocation.knownFinding(for: certificates)
        }
        return try await revocation.finding(for: certificates)
    }
}

extension SigningChain {
    /// Requires that Xcode's certificates are used only for local testing, and the App Store's never.
    func requireAuthority(over environment: AppStoreEnvironment?) throws(VerificationError) {
        let isLocal = environment == .xcode || environment == .localTesting
        switch authority {
        case .appStore where isLocal:
            throw VerificationError(.wrongEnvironment, "the App Store does not sign for local testing")
        case .enrolled where !isLocal:
            throw VerificationError(.wrongEnvironment, "an enrolled certificate is accepted for local testing only")
        default:
            return
        }
    }
}
