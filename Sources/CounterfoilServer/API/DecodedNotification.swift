internal import Ledger
internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Basics
internal import Foundation

/// The contents of a notification and of the signed texts in it, each verified again, with the failures.
struct DecodedNotification {
    /// A signed text, as answers name it.
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

    /// Why a part says nothing.
    private struct Problem {
        var part: Part
        var code: String
        var message: String

        init(_ part: Part, _ error: VerificationError) {
            self.init(part, code: "\(error.code)", error.message)
        }

        init(_ part: Part, code: String, _ message: String) {
            (self.part, self.code, self.message) = (part, code, message)
        }
    }

    private var notification: [UInt8]?
    private var transaction: [UInt8]?
    private var renewalInfo: [UInt8]?
    private var appTransaction: [UInt8]?
    private var problems: [Problem] = []
    /// What the verification of each part rests on.
    private var traces: [(part: Part, trace: VerificationTrace)] = []

    init(_ kept: KeptNotification, in scope: Scope, _ verifier: SignedDataVerifier) async {
        guard !kept.isDamaged else {
            let code = StorageError.Code.damaged.rawValue
            problems.append(Problem(.notification, code: code, "The text that was received is damaged on disk."))
            return
        }
        let payload: ResponseBodyV2DecodedPayload
        do throws(VerificationError) {
            let verified = try await verifier.notification(kept.text)
            payload = verified.payload
            traces.append((.notification, verified.trace))
            notification = Self.payload(of: kept.text)
        } catch {
            problems.append(Problem(.notification, error))
            return
        }
        if let text = payload.data?.signedTransactionInfo {
            do throws(VerificationError) {
                let verified = try await verifier.transaction(text)
                traces.append((.transaction, verified.trace))
                transaction = Self.payload(of: text)
                try scope.requireMatch(verified.payload.bundleId, verified.payload.environment)
            } catch { problems.append(Problem(.transaction, error)) }
        }
        if let text = payload.data?.signedRenewalInfo {
            do throws(VerificationError) {
                let verified = try await verifier.renewalInfo(text)
                traces.append((.renewalInfo, verified.trace))
                renewalInfo = Self.payload(of: text)
                // It names no app.
                try scope.requireMatch(scope.bundleID, verified.payload.environment)
            } catch { problems.append(Problem(.renewalInfo, error)) }
        }
        if let text = payload.appData?.signedAppTransactionInfo {
            do throws(VerificationError) {
                let verified = try await verifier.appTransaction(text)
                traces.append((.appTransaction, verified.trace))
                appTransaction = Self.payload(of: text)
                try scope.requireMatch(verified.payload.bundleId, verified.payload.receiptType)
            } catch { problems.append(Problem(.appTransaction, error)) }
        }
    }

    /// The JSON that was signed. Only of what was verified: then it is JSON.
    static func payload(of text: String) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3 ? Base64.decodeURL(parts[1]) : nil
    }

    func write(to json: inout JSONWriter) {
        json.member("decoded") { json in
            for (part, payload) in [
                (.notification, notification), (.transaction, transaction), (.renewalInfo, renewalInfo),
                (.appTransaction, appTransaction),
            ] as [(Part, [UInt8]?)] {
                guard let payload else { continue }
                json.key(part.name)
                json.raw(payload)
            }
        }
        json.member("verifications") { json in
            for (part, trace) in traces {
                json.key(part.name)
                NotificationJSON.write(trace, to: &json)
            }
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
