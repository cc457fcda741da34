internal import Basics
internal import Ledger
internal import LedgerServices

extension JSONWriter {
    /// Writes the members of an ownership change.
    ///
    /// - Parameter naming: Whether to include the names of other customers.
    mutating func members(of change: CustomerChange, naming: Bool) {
        member("type", change.type.rawValue)
        member("sentence", TimelineSentence.text(change, naming: naming))
        member("original_transaction_id", change.originalTransactionID)
        guard naming else { return }
        member("from", Erasure.withoutStandIns(change.change.from)) { $0.string($1) }
        member("to", Erasure.withoutStandIns(change.change.to)) { $0.string($1) }
    }

    /// Writes the signed texts that are ignored because they fail verification, if there are any.
    mutating func unverified(_ texts: [UnverifiedText]) {
        guard !texts.isEmpty else { return }
        member("unverified", texts) { json, text in
            json.object("unverified_text") { json in
                json.member("notification_uuid", text.notification)
                json.member("original_transaction_id", text.originalTransactionID)
                json.member("code", text.code)
                json.member("message", text.reason)
            }
        }
    }
}
