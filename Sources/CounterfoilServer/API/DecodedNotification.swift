internal import Ledger
internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Basics
internal import Foundation

/// What a notification and the signed texts in it say, each verified again; and what does not hold.
struct DecodedNotification {
    private var notification: [UInt8]?
    private var transaction: [UInt8]?
    private var renewalInfo: [UInt8]?
    private var problems: [(part: StaticString, error: VerificationError)] = []
    /// What the verification of each part rests on.
    private var traces: [(part: StaticString, trace: VerificationTrace)] = []

    init(_ kept: KeptNotification, _ verifier: SignedDataVerifier) async {
        let data: NotificationData?
        do throws(VerificationError) {
            let verified = try await verifier.notification(kept.text)
            data = verified.payload.data
            traces.append(("notification", verified.trace))
            notification = Self.payload(of: kept.text)
        } catch {
            problems.append(("notification", error))
            return
        }
        if let text = data?.signedTransactionInfo {
            do throws(VerificationError) {
                traces.append(("transaction", try await verifier.transaction(text).trace))
                transaction = Self.payload(of: text)
            } catch { problems.append(("transaction", error)) }
        }
        if let text = data?.signedRenewalInfo {
            do throws(VerificationError) {
                traces.append(("renewal_info", try await verifier.renewalInfo(text).trace))
                renewalInfo = Self.payload(of: text)
            } catch { problems.append(("renewal_info", error)) }
        }
    }

    /// The JSON that was signed. Only of what was verified: then it is JSON.
    static func payload(of text: String) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3 ? Base64.decodeURL(parts[1]) : nil
    }

    func write(to json: inout JSONWriter) {
        json.member("decoded") { json in
            for (name, payload) in [
                ("notification", notification), ("transaction", transaction), ("renewal_info", renewalInfo),
            ] as [(StaticString, [UInt8]?)] {
                guard let payload else { continue }
                json.key(name)
                json.raw(payload)
            }
        }
        json.member("verifications") { json in
            for (part, trace) in traces {
                json.key(part)
                NotificationJSON.write(trace, to: &json)
            }
        }
        json.member("problems", problems) { json, problem in
            json.object { json in
                json.member("object", "problem")
                json.member("part", "\(problem.part)")
                json.member("code", "\(problem.error.code)")
                json.member("message", problem.error.message)
            }
        }
    }
}
