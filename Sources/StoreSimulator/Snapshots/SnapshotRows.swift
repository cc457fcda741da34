internal import AppStoreModels
internal import Basics
internal import Foundation

// Transactions and notifications of purchases are most of a large store. Their rows are written without `Codable`,
// which would take five times as long, but are decoded with it, like all others. The output must be what `encode(to:)`
// would write.

extension StoredTransaction {
    /// Writes the same members as `encode(to:)`. Returns false, without writing, if the value has rare fields.
    func write(to json: inout JSONWriter, _ templates: SnapshotTemplates) -> Bool {
        guard let text = $payload.text(templates), refund == nil else { return false }
        json.object { json in
            json.member("payload", text)
            json.member("customer", customer)
            json.member("order", order)
            json.member("revision", revision)
            json.member("isFinished", isFinished)
            json.member("sharedFrom", sharedFrom)
        }
        return true
    }
}

extension NotificationRecord {
    /// Writes the same members as `encode(to:)`. Returns false, without writing, if the value has rare fields.
    func write(to json: inout JSONWriter, _ templates: SnapshotTemplates) -> Bool {
        guard case .purchase(let purchase) = content, purchase.signedDate == signedDate, overrides.isEmpty,
            let transaction = purchase.$payload.text(templates), let milliseconds = date.wholeMillisecondsSince1970,
            let signed = signedDate.wholeMillisecondsSince1970
        else { return false }
        let renewal = purchase.renewal?.text(templates)
        let next = due?.wholeMillisecondsSince1970
        guard (renewal == nil) == (purchase.renewal == nil), (next == nil) == (due == nil) else { return false }
        json.object { json in
            json.member("uuid", id)
            json.member("type", type.rawValue)
            json.member("subtype", subtype?.rawValue)
            json.member("date", milliseconds)
            if signed != milliseconds { json.member("signedDate", signed) }
            json.member("transaction", transaction)
            json.member("renewalInfo", renewal)
            json.member("status", purchase.status.map { Int64($0.rawValue) })
            json.member("consumptionRequestReason", purchase.consumptionRequestReason?.rawValue)
            json.member("customer", customer)
            json.member("testToken", testToken)
            if !attempts.isEmpty {
                json.member("attempts", attempts) { json, attempt in
                    json.object { json in
                        json.member("attemptDate", attempt.date.millisecondsSince1970 ?? 0)
                        json.member("sendAttemptResult", attempt.result.rawValue)
                        json.member("status", attempt.status.map { Int64($0) })
                        json.member("answer", attempt.answer)
                        json.member("isManual", attempt.isManual)
                    }
                }
            }
            if isDelivered { json.member("isDelivered", true) }
            json.member("due", next)
            if wasPostponed { json.member("wasPostponed", true) }
            json.member("appAppleId", appAppleID)
            json.member("bundleVersion", bundleVersion)
            json.member("signatures", signatures?.text)
        }
        return true
    }
}

extension Date {
    /// The milliseconds since 1970; nil if the date is not a whole number of them.
    var wholeMillisecondsSince1970: Int64? {
        guard let whole = millisecondsSince1970, Date(millisecondsSince1970: whole) == self else { return nil }
        return whole
    }
}
