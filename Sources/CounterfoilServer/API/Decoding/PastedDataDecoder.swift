internal import AppStoreModels
internal import AppStoreReceipts
internal import AppStoreServer
internal import AppStoreTrust
internal import Basics
package import Foundation
internal import Ledger
package import LedgerServices

/// Decodes pasted data, and reports what can be verified. Stores and logs nothing.
package struct PastedDataDecoder: Sendable {
    /// How pasted data is verified.
    package struct Options {
        /// The instant at which the certificates must be valid; nil for the signing date.
        package var instant: Date?
        /// Whether to query Apple's OCSP responders.
        package var checksRevocation = false
        /// The only apps whose data are accepted and whose keys are known; nil for all. A key must not learn which
        /// other apps the configuration has.
        package var bundleIDs: Set<String>?

        package init() {}

        func accepts(_ bundleID: String) -> Bool { bundleIDs?.containsExactly(bundleID) ?? true }

        var validationTime: ValidationTime { instant.map { .at($0) } ?? .signingDate }
    }

    /// How many levels of nested signed data are decoded.
    private static let maximumDepth = 3

    private let offlineVerifier: SignedDataVerifier
    private let onlineVerifier: SignedDataVerifier
    private let trust: ServerConfiguration.Trust
    private let bundleIDs: Set<String>
    private let apps: Apps
    private let now: @Sendable () -> Date

    /// - Parameter apps: The apps whose keys are known. They may change while the server runs.
    package init(_ configuration: ServerConfiguration, _ apps: Apps, _ clock: ServerClock) throws {
        func verifier(_ policy: RevocationPolicy) throws -> SignedDataVerifier {
            var configuration = configuration
            configuration.trust.revocation = policy
            return try configuration.verifier(validationTime: .signingDate, clock)
        }
        offlineVerifier = try verifier(.off)
        onlineVerifier = try verifier(.soft)
        trust = configuration.trust
        bundleIDs = Set(configuration.apps.map(\.bundleID))
        self.apps = apps
        now = clock.now
    }

    /// Returns the apps' current keys, by key ID.
    private func keys(_ options: Options) -> [String: SigningKey] {
        var keys: [String: SigningKey] = [:]
        for app in apps.all where options.accepts(app.bundleID) {
            for key in app.key?.all ?? [] { keys[key.keyID] = key }
            if let key = app.offerKey { keys[key.keyID] = key }
        }
        return keys
    }

    /// Returns the verdict about the data.
    ///
    /// - Parameter secrets: The secrets of the webhook endpoints that the principal may manage, by endpoint name.
    package func verdict(
        _ bytes: [UInt8], _ options: Options, secrets: [String: [Secret]]
    ) async -> DecodeVerdict {
        switch PastedData(bytes) {
        case .token(let text): return await token(text, options)
        case .wrapped(let text, let member):
            var verdict = await token(text, options)
            verdict.message += " It was in the member \(member)."
            return verdict
        case .certificates(let data): return certificates(data, options)
        case .offer(let json):
            return OfferVerdict.make(json, keys(options), bundleIDs: bundleIDs.filter(options.accepts), now: now())
        case .bareSignature: return OfferVerdict.bareSignature
        case .receipt(let data): return receipt(data, options)
        case .verifyReceiptResponse(let receipt, let payload):
            var verdict = DecodeVerdict(
                kind: "verify_receipt_answer", code: "not_signed",
                message: "A verifyReceipt response is not signed; only the receipt in it can be verified.",
                payload: payload)
            if let receipt {
                verdict.parts.append(.init(name: "latest_receipt", verdict: self.receipt(Data(receipt.utf8), options)))
            }
            return verdict
        case .webhook(let headers, let body):
            // Webhooks are dated by the real clock, also while the server follows a simulator's.
            return WebhookVerdict.make(headers, body, secrets, now: Date())
        }
    }

    // MARK: - Signed data

    private func token(_ text: String, _ options: Options, depth: Int = 0) async -> DecodeVerdict {
        let (header, payload) = Self.unverifiedContents(text)
        if let header, header["x5c"] == nil {
            return TokenVerdict.make(text, header, payload, keys(options), now: now())
        }
        let accepted = ServerConfiguration(apps: apps.all.filter { options.accepts($0.bundleID) }).acceptedApps
        let verifier = (options.checksRevocation ? onlineVerifier : offlineVerifier)
            .validating(at: options.validationTime).accepting(accepted)
        do throws(VerificationError) {
            let verified = try await verifier.anyPayload(text)
            var verdict = DecodeVerdict(
                kind: verified.payload.names.kind, isProven: true,
                message: "Valid: \(verified.payload.names.inSentence) that was signed under \(verified.trace.anchor).",
                checks: CheckList.signedData.results(nil, revocation: verified.trace.revocation), payload: payload,
                trace: verified.trace)
            verdict.subject = verified.payload.subject
            guard depth < Self.maximumDepth else { return verdict }
            for (name, nested) in verified.payload.signedTexts {
                verdict.parts.append(.init(name: name, verdict: await token(nested, options, depth: depth + 1)))
            }
            return verdict
        } catch {
            return DecodeVerdict(
                kind: payload == nil ? "unknown" : "signed_data", code: "\(error.code)",
                message: "Refused: \(error.message).", checks: CheckList.signedData.results(error, revocation: nil),
                payload: payload)
        }
    }

    /// Returns the header and the payload of a compact JWS without verification; nil for a part that is no JSON object.
    private static func unverifiedContents(_ text: String) -> (header: [String: Any]?, payload: [UInt8]?) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        func object(_ index: Int) -> ([String: Any], [UInt8])? {
            guard parts.count == 3, let bytes = Base64.decodeURL(parts[index]), let object = VerbatimJSON.object(bytes)
            else { return nil }
            return (object, bytes)
        }
        return (object(0)?.0, object(1)?.1)
    }

    // MARK: - Receipts and certificates

    private func receipt(_ data: Data, _ options: Options) -> DecodeVerdict {
        let validator = ReceiptValidator(
            anchors: trust.receiptAnchors, bundleIDs: bundleIDs.filter(options.accepts),
            validationTime: options.validationTime, limits: .server, now: now)
        do throws(VerificationError) {
            let verified = try validator.validate(contents: data)
            var verdict = DecodeVerdict(
                kind: verified.appReceipt == nil ? "transaction_receipt" : "app_receipt", isProven: true,
                message: "Valid: a receipt that was signed under \(verified.trace.anchor).",
                checks: CheckList.receipt.results(nil, revocation: verified.trace.revocation),
                payload: Array(ReceiptDocument(verified.payload).json.utf8), trace: verified.trace)
            verdict.subject = .init(
                bundleID: verified.payload.bundleID, environment: verified.payload.environment?.rawValue,
                transactionID: verified.payload.firstTransaction)
            return verdict
        } catch {
            guard let content = try? UnverifiedReceipt(contents: data, limits: .server).content else {
                return DecodeVerdict(
                    kind: "unknown", code: "unrecognised",
                    message: "Unknown format: neither signed data nor a receipt (\(error.message)).")
            }
            return DecodeVerdict(
                kind: "receipt", code: "\(error.code)", message: "Refused: \(error.message).",
                checks: CheckList.receipt.results(error, revocation: nil),
                payload: Array(ReceiptDocument(content).json.utf8))
        }
    }

    private func certificates(_ data: Data, _ options: Options) -> DecodeVerdict {
        do throws(VerificationError) {
            guard data.count <= CertificateFile.maximumBytes else {
                throw VerificationError(.tooLarge, "more than \(CertificateFile.maximumBytes) bytes")
            }
            let ders = try CertificateFile.read(data).map(\.der)
            let chain = try CertificateChain(ders: ders, anchors: trust.anchors, markers: .appStore)
            let instant = options.instant ?? now()
            try chain.certificates.requireValid(at: instant)
            return DecodeVerdict(
                kind: "certificates", isProven: true,
                message: "Valid: a chain for signing App Store data that ends at \(chain.anchor).",
                checks: CheckList.certificates.results(nil, revocation: nil),
                trace: VerificationTrace(
                    certificates: chain.certificates, anchor: chain.anchor, validatedAt: instant,
                    revocation: .notChecked))
        } catch {
            return DecodeVerdict(
                kind: "certificates", code: "\(error.code)", message: "Refused: \(error.message).",
                checks: CheckList.certificates.results(error, revocation: nil))
        }
    }
}

extension Receipt {
    /// The transaction ID that the ledger may know: of a restored purchase, the original one.
    fileprivate var firstTransaction: String? {
        switch self {
        case .app(let receipt): receipt.purchases.first.map { $0.originalTransactionID ?? $0.transactionID }
        case .transaction(let receipt): receipt.originalTransactionID ?? receipt.transactionID
        }
    }
}

extension AnySignedPayload {
    /// The kind, as responses name it, and its name with the article, for a sentence.
    fileprivate var names: (kind: String, inSentence: String) {
        switch self {
        case .transaction: ("transaction", "a transaction")
        case .renewalInfo: ("renewal_info", "a renewal info")
        case .notification: ("notification", "a notification")
        case .appTransaction: ("app_transaction", "an app transaction")
        case .realtimeRequest: ("realtime_request", "a retention request")
        }
    }

    fileprivate var subject: DecodeVerdict.Subject {
        switch self {
        case .transaction(let payload):
            .init(
                bundleID: payload.bundleId, environment: payload.environment.rawValue,
                transactionID: payload.transactionId)
        case .renewalInfo(let payload):
            .init(environment: payload.environment.rawValue, transactionID: payload.originalTransactionId)
        case .notification(let payload):
            .init(
                bundleID: payload.namedApp?.bundleID, environment: payload.namedApp?.environment.rawValue,
                notification: payload.notificationUUID)
        case .appTransaction(let payload): .init(bundleID: payload.bundleId)
        case .realtimeRequest(let payload): .init(transactionID: payload.originalTransactionId)
        }
    }
}
