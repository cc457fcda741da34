internal import AppStoreTrust
internal import Basics
internal import Entitlements
internal import Ledger
internal import LedgerServices

/// Writes the fact that a customer first got the app as JSON.
enum OriginalPurchaseJSON {
    static func write(_ fact: OriginalPurchaseFact, to json: inout JSONWriter) {
        json.object("original_purchase") { json in
            members(of: fact, to: &json)
        }
    }

    private static func members(of fact: OriginalPurchaseFact, to json: inout JSONWriter) {
        json.member("application_version", fact.applicationVersion)
        json.member("purchase_date", fact.purchaseDate)
        json.member("app_transaction_id", fact.appTransactionID)
        if fact.isTestData { json.member("is_test_data", true) }
    }

    /// Writes whether the customer got the app before the configured version or date, and the evidence.
    static func write(_ explained: CustomerExplanation.OriginalPurchase, withText: Bool, to json: inout JSONWriter) {
        json.object("explained_original_purchase") { json in
            json.member("finding", explained.explained.finding.rawValue)
            if let fact = explained.explained.fact { members(of: fact, to: &json) }
            guard let purchase = explained.purchase?.purchase else { return }
            json.member("kind", purchase.kind.name)
            json.member("signed_date", purchase.fact.signedDate)
            json.member("origin", purchase.origin.name)
            json.member("received_at", purchase.receivedAt)
            if let trace = explained.trace { json.value("verification") { NotificationJSON.write(trace, to: &$0) } }
            json.member("verification_failure", explained.failure.map { "\($0.code)" })
            if withText, purchase.kind == .appTransaction { json.member("signed_data", purchase.text) }
        }
    }
}

extension TimelineSentence {
    /// Returns the sentence that the customer first got the app.
    static func text(_ fact: OriginalPurchaseFact) -> String {
        fact.applicationVersion.map { "The customer first got the app, at version \($0)." }
            ?? "The customer first got the app."
    }
}
