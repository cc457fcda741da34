import Foundation

/// A receiver that believes whatever it was told last, as many are written. It ignores identifiers that it has seen.
struct NaiveReceiver {
    /// What it thinks of each purchase, by original transaction.
    private(set) var states: [String: [String: String]] = [:]
    /// Everything that was new to it, in order of arrival.
    private(set) var bodies: [JSON] = []
    private var seen: Set<String> = []

    /// Takes a message in either vocabulary.
    mutating func take(_ id: String, _ body: Data) {
        guard seen.insert(id).inserted else { return }
        take(JSON(body))
    }

    mutating func take(_ json: JSON) {
        bodies.append(json)
        if json["event"].value != nil { takeCompatible(json["event"]) } else { takeOwn(json["data"]) }
    }

    /// What a message says a purchase is like is what it is like.
    private mutating func takeOwn(_ data: JSON) {
        guard let original = data["original_transaction_id"].text, data["notification"].value != nil else { return }
        let (transaction, renewal) = (data["transaction"], data["renewal"])
        states[original] = [
            "transaction": transaction["transaction_id"].text ?? "", "product": transaction["product_id"].text ?? "",
            "expires": "\(transaction["expires_date"].number ?? 0)",
            "revoked": "\(transaction["revocation_date"].number ?? 0)",
            "renews": "\(renewal["will_renew"].flag ?? false)",
            "grace": "\(renewal["grace_period_expires_date"].number ?? 0)",
        ]
    }

    /// Each word of the field changes what it is about.
    private mutating func takeCompatible(_ event: JSON) {
        guard let original = event["original_transaction_id"].text, let type = event["type"].text else { return }
        var changes: [String: String] = [:]
        switch type {
        case "INITIAL_PURCHASE", "RENEWAL":
            changes = [
                "access": "true", "renews": "true", "billing": "fine", "product": event["product_id"].text ?? "",
            ]
            changes["expires"] = "\(event["expiration_at_ms"].number ?? 0)"
        case "NON_RENEWING_PURCHASE", "REFUND_REVERSED": changes = ["access": "true"]
        case "SUBSCRIPTION_EXTENDED":
            changes = ["access": "true", "expires": "\(event["expiration_at_ms"].number ?? 0)"]
        case "UNCANCELLATION": changes = ["renews": "true"]
        case "CANCELLATION":
            changes = ["renews": "false"]
            if event["cancel_reason"].text != "UNSUBSCRIBE" { changes["access"] = "false" }
        case "EXPIRATION": changes = ["access": "false"]
        case "BILLING_ISSUE": changes = ["billing": "failed"]
        case "PRODUCT_CHANGE": changes = ["next": event["new_product_id"].text ?? ""]
        default: return
        }
        states[original, default: [:]].merge(changes) { $1 }
    }

    /// What it would think if it had been told everything once, in the order in which it happened.
    var truth: [String: [String: String]] {
        func instant(_ json: JSON) -> Double {
            json["event"]["event_timestamp_ms"].number ?? json["data"]["occurred_at"].number ?? 0
        }
        var receiver = NaiveReceiver()
        let told = bodies.enumerated().filter { !Self.isRepeat($0.element) }
        let ordered = told.sorted { (instant($0.element), $0.offset) < (instant($1.element), $1.offset) }
        for (_, body) in ordered { receiver.take(body) }
        return receiver.states
    }

    /// The purchases about which it is wrong.
    var errors: [String] {
        let truth = truth
        return truth.keys.filter { states[$0] != truth[$0] }.sorted()
            .map { "\($0): \(states[$0] ?? [:]) and not \(truth[$0] ?? [:])" }
    }

    var repeats: Int { bodies.count(where: Self.isRepeat) }

    private static func isRepeat(_ json: JSON) -> Bool {
        json["event"]["repeats"].value != nil || json["data"]["repeats"].value != nil
    }
}
