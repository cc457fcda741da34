internal import AppStoreModels
internal import Basics
internal import Ledger
internal import LedgerServices

/// Writes consumption requests as JSON.
enum ConsumptionJSON {
    /// - Parameter naming: Whether to include the customer.
    static func write(_ inquiry: ConsumptionInquiry, naming: Bool = false, to json: inout JSONWriter) {
        json.object("consumption_request") { json in
            if naming { json.member("customer", inquiry.customer) }
            json.member("transaction_id", inquiry.transactionID)
            json.member("original_transaction_id", inquiry.originalTransactionID)
            json.member("state", inquiry.state.rawValue)
            json.member("requested_at", inquiry.requestedAt)
            json.member("answer_due_at", inquiry.deadline)
            json.member("attempts", inquiry.attempts)
            json.member("sent_at", inquiry.sentAt)
            if let sent = inquiry.sent { json.value("sent") { $0.raw(sent.utf8) } }
            json.member("answer", inquiry.answer)
            json.member("decision", inquiry.decision?.rawValue)
            json.member("decided_at", inquiry.decidedAt)
        }
    }

    static func write(_ preview: ConsumptionPreview, about transactionID: String, to json: inout JSONWriter) {
        json.object("consumption_preview") { json in
            json.member("transaction_id", transactionID)
            json.member("would_send", preview.request != nil)
            json.member("obstacle", preview.obstacle?.rawValue)
            if let request = preview.request { json.value("request") { request.write(to: &$0) } }
            json.member("reasons", preview.reasons) { json, reason in
                json.object { json in
                    json.member("member", reason.member)
                    json.member("source", reason.source.rawValue)
                    json.member("note", reason.note)
                }
            }
        }
    }
}
