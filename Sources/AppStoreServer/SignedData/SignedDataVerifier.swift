public import AppStoreModels
public import AppStoreTrust
internal import Basics
internal import Foundation
internal import X509

/// Proves what the App Store signed: transactions, renewal information, notifications, app transactions, retention
/// requests.
///
/// One verifier serves any number of apps and both environments; it is a value, safe to share. Copies share what is known of
/// certificates, behind locks that are held for as long as it takes to copy a reference; there is no actor on its way. Nothing
/// of a payload is believed, and no network is touched, before its signature holds.
public struct SignedDataVerifier: Sendable {
    private var configuration: Configuration
    private let trust: Trust
    let cache: ChainCache
    private let revocation: RevocationChecker?
    private var signatures: ProvenSignatures?

    /// Makes a verifier.
    ///
    /// - Throws: ``VerificationError`` with code `certificate_malformed` when an enrolled certificate cannot be read or what is
    ///   enrolled holds none.
    public init(_ configuration: Configuration) throws(VerificationError) {
        self.configuration = configuration
        var enrolled: [[UInt8]: Certificate] = [:]
        for data in configuration.enrolledXcodeCertificates {
            for (der, certificate) in try CertificateFile.read(data) { enrolled[der] = certificate }
        }
        guard !enrolled.isEmpty || configuration.enrolledXcodeCertificates.isEmpty else {
            throw VerificationError(.certificateMalformed, "what is enrolled holds no certificate in PEM or DER")
        }
        trust = Trust(anchors: configuration.anchors, enrolled: enrolled)
        cache = ChainCache(capacity: configuration.chainCacheCapacity)
        revocation = configuration.revocation.map { RevocationChecker($0, now: configuration.now) }
    }

    /// The same verifier, but for when the certificates have to be valid. Both share what they know of chains, signatures and
    /// revocation: none depends on that instant.
    package func validating(at instant: ValidationInstant) -> SignedDataVerifier {
        var verifier = self
        verifier.configuration.validAt = instant
        return verifier
    }

    /// The same verifier, which does not verify a signature again that it knows.
    package func remembering(_ signatures: ProvenSignatures) -> SignedDataVerifier {
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

    /// Verifies a `signedRenewalInfo`. Renewal information names no app: only its environment is compared.
    public func renewalInfo(
        _ text: String
    ) async throws(VerificationError) -> Verified<JWSRenewalInfoDecodedPayload> {
        try await verify(text)
    }

    /// Verifies the `signedPayload` of an App Store Server Notification V2. The signed data inside is a text of its own:
    /// verify it with ``transaction(_:)`` and ``renewalInfo(_:)``.
    public func notification(
        _ text: String
    ) async throws(VerificationError) -> Verified<ResponseBodyV2DecodedPayload> {
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

    /// Verifies signed data whose kind is not known beforehand.
    public func anyPayload(_ text: String) async throws(VerificationError) -> Verified<AnySignedPayload> {
        try await verify(text)
    }

    private func verify<Payload: SignedPayload>(_ text: String) async throws(VerificationError) -> Verified<Payload> {
        let (chain, json) = try proven(text)
        let payload: Payload
        do {
            payload = try StrictJSONDecoder.decode(Payload.self, from: json)
        } catch {
            throw VerificationError(.badJSON, "the payload is not the JSON expected: \(DecodingProblem(error))")
        }
        let audience = payload.audience
        let instant = configuration.validAt.instant(signingDate: audience.signingDate, now: configuration.now)
        for certificate in chain.certificates { try certificate.requireValid(at: instant) }
        try chain.requireAuthority(over: audience.environment)
        try configuration.apps.requireMatch(audience)
        let finding = try await finding(for: chain, signed: audience.signingDate)
        let trace = VerificationTrace(
            certificates: chain.certificates, anchor: chain.anchor, validatedAt: instant, revocation: finding)
        return Verified(checked: payload, text: text, trace: trace)
    }

    /// The payload's bytes, once chain and signature hold.
    private func proven(_ text: String) throws(VerificationError) -> (SigningChain, [UInt8]) {
        guard text.utf8.count <= configuration.maximumBytes else {
            throw VerificationError(.tooLarge, "the JWS is larger than \(configuration.maximumBytes) bytes")
        }
        var text = text
        return try text.withUTF8 { utf8 in
            Result { () throws(VerificationError) in try proven(UnsafeRawBufferPointer(utf8)) }
        }.get()
    }

    private func proven(_ text: UnsafeRawBufferPointer) throws(VerificationError) -> (SigningChain, [UInt8]) {
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
            chain = try proven(ProtectedHeader(json: json), headerText)
        }
        try chain.requireSignature(signature, over: UnsafeRawBufferPointer(rebasing: text[form.payload]), signatures)
        // Kept only now: a header alone is everybody's to send, a signature is not.
        if known == nil { cache.insert(chain, for: headerText) }
        return (chain, payload)
    }

    private func proven(
        _ header: ProtectedHeader, _ text: UnsafeRawBufferPointer
    ) throws(VerificationError) -> SigningChain {
        // The certificates are public and a header can be varied without end: who sends genuine ones in ever new headers
        // must not buy two P-384 verifications each time.
        if let sibling = cache.chain(of: header.certificates) { return SigningChain(sibling, text: text) }
        return try SigningChain(header: header, text: text, trust: trust)
    }

    /// What was signed more than a day ago, in seconds, is old data where it is judged at its signing date: responders speak
    /// about now, so they are not asked, whatever the policy is. What they have said already counts.
    private static let recent: Double = 86_400

    private func finding(
        for chain: SigningChain, signed: Date?
    ) async throws(VerificationError) -> RevocationFinding {
        guard let revocation, case .appStore(let certificates) = chain.authority else { return .notChecked }
        if configuration.validAt == .signingDate, let signed,
            configuration.now().timeIntervalSince(signed) > Self.recent
        {
            return try revocation.knownFinding(for: certificates)
        }
        return try await revocation.finding(for: certificates)
    }
}

extension SigningChain {
    /// Xcode's data is never production or sandbox, and the App Store never signs for Xcode.
    func requireAuthority(over environment: AppStoreEnvironment?) throws(VerificationError) {
        let isLocal = environment == .xcode || environment == .localTesting
        switch authority {
        case .appStore where isLocal:
            throw VerificationError(.wrongEnvironment, "the App Store does not sign for local testing")
        case .enrolled where !isLocal:
            throw VerificationError(.wrongEnvironment, "an enrolled certificate speaks for local testing only")
        default:
            return
        }
    }
}
