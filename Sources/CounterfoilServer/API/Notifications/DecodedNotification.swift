internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Basics
internal import Ledger

/// The contents of a notification and of the signed texts in it, each verified again, with the failures.
struct DecodedNotification {
    /// A signed text, by its name in responses.
    enum Part: CaseIterable {
        case notification, transaction, renewalInfo, appTransaction

        var name: StaticString {
            switch self {
            case .notification: "notification"
            case .transaction: "transaction"
            case .renewalInfo: "renewal_info"
            case .appTransaction: "app_transaction"
            }
        }
    }

    /// The reason why a part failed verification.
    private struct Problem {
        var part: Part
        var code, message: String
    }

    /// The JSON of each part that was verified.
    private var payloads: [(part: Part, json: [UInt8])] = []
    private var problems: [Problem] = []
    /// The verification trace of each verified part.
    private var traces: [(part: Part, trace: VerificationTrace)] = []
    /// The app transaction identifier of the Apple account that the notification is about.
    private(set) var account: String?

    init(_ stored: StoredNotification, in appEnvironment: AppEnvironment, _ verifier: SignedDataVerifier) async {
        guard !stored.isDamaged else {
            let code = StorageError.Code.damaged.rawValue
            problems.append(
                Problem(part: .notification, code: code, message: "The received text is damaged on disk."))
            return
        }
        guard let payload = await add(.notification, stored.text, verifier.notification) else {
            await addUnreadableNotification(stored.text, verifier)
            return
        }
        let (data, app) = (payload.data, payload.appData)
        await add(.transaction, data?.signedTransactionInfo, verifier.transaction) {
            (payload) throws(VerificationError) in
            try appEnvironment.requireMatch(payload.bundleId, payload.environment)
        }
        await add(.renewalInfo, data?.signedRenewalInfo, verifier.renewalInfo) {
            (payload) throws(VerificationError) in
            // Renewal info does not name an app.
            try appEnvironment.requireMatch(appEnvironment.bundleID, payload.environment)
        }
        let appTransaction = await add(
            .appTransaction, app?.signedAppTransactionInfo, verifier.appTransaction
        ) { (payload) throws(VerificationError) in
            try appEnvironment.requireMatch(payload.bundleId, payload.receiptType)
        }
        account = appTransaction?.appTransactionId
    }

    /// Adds the contents of a genuine notification that this version cannot read.
    private mutating func addUnreadableNotification(_ text: String, _ verifier: SignedDataVerifier) async {
        do throws(VerificationError) {
            let verified = try await verifier.notificationEnvelope(text)
            traces.append((.notification, verified.trace))
        } catch {
            // The problems contain why it is not genuine.
            return
        }
        addUnreadable(.notification, text)
    }

    /// Adds the contents of a text that the App Store signed and that this version cannot read.
    private mutating func addUnreadable(_ part: Part, _ text: String) {
        guard let json = CompactJWS.payload(of: text) else { return }
        do { _ = try StrictJSONDecoder.decode(AnyMembers.self, from: json) } catch { return }
        payloads.append((part, json))
    }

    /// A JSON object with any members.
    private struct AnyMembers: Decodable {
        init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: JSONName.self) }
    }

    /// Verifies a part, and stores its payload or its failure.
    ///
    /// - Parameter check: Throws unless the part is for the app and environment of the notification.
    @discardableResult
    private mutating func add<Payload: Sendable>(
        _ part: Part, _ text: String?, _ verify: (String) async throws(VerificationError) -> Verified<Payload>,
        _ check: (Payload) throws(VerificationError) -> Void = { _ in }
    ) async -> Payload? {
        guard let text else { return nil }
        do throws(VerificationError) {
            let verified = try await verify(text)
            traces.append((part, verified.trace))
            if let json = CompactJWS.payload(of: text) { payloads.append((part, json)) }
            try check(verified.payload)
            return verified.payload
        } catch {
            problems.append(Problem(part: part, code: "\(error.code)", message: error.message))
            // The signature of the notification, which is verified, covers the texts in it.
            if part != .notification, error.code == .badJSON { addUnreadable(part, text) }
            return nil
        }
    }

    func write(to json: inout JSONWriter) {
        json.member("decoded") { json in
            for (part, payload) in payloads { json.value(part.name) { $0.raw(payload) } }
        }
        json.member("verifications") { json in
            for (part, trace) in traces { json.value(part.name) { NotificationJSON.write(trace, to: &$0) } }
        }
        json.member("problems", problems) { json, problem in
            json.object("problem") { json in
                json.member("part", "\(problem.part.name)")
                json.member("code", problem.code)
                json.member("message", problem.message)
            }
        }
    }
}
