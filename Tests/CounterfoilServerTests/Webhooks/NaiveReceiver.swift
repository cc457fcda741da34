import Foundation

/// A simple receiver of webhooks that stores the last message about each purchase. It ignores message IDs that it has
/// seen.
struct NaiveReceiver {
    /// The receiver's view of each purchase, by original transaction ID.
    private(set) var states: [String: [String: String]] = [:]
    /// The bodies of new messages in order of arrival.
    private(set) var bodies: [JSON] = []
    private var seen: Set<String> = []

    /// Receives a message in either format.
    mutating func take(_ id: String, _ body: Data) {
        guard seen.insert(id).inserted else { return }
        take(JSON(body))
    }

    mutating func take(_ json: JSON) {
        bodies.append(json)
        if json["event"].value != nil { takeCompatible(json["event"]) } else { takeOwn(json["data"]) }
    }

    /// Replaces the purchase's state by that of the message.
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

    /// Changes the members of the state that the compatible event is about.
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

    /// The states after receiving each event once, in the order in which the events occurred.
    var expectedStates: [String: [String: String]] {
        func instant(_ json: JSON) -> Double {
            json["event"]["event_timestamp_ms"].number ?? json["data"]["occurred_at"].number ?? 0
        }
        var receiver = NaiveReceiver()
        let originals = bodies.enumerated().filter { !Self.isRepeat($0.element) }
        let ordered = originals.sorted { (instant($0.element), $0.offset) < (instant($1.element), $1.offset) }
        for (_, body) in ordered { receiver.take(body) }
        return receiver.states
    }

    /// The purchases whose state is wrong.
    var errors: [String] {
        let expected = expectedStates
        return expected.keys.filter { states[$0] != expected[$0] }.sorted()
            .map { "\($0): \(states[$0] ?? [:]) and not \(expected[$0] ?? [:])" }
    }

    var repeats: Int { bodies.count(where: Self.isRepeat) }

    private static func isRepeat(_ json: JSON) -> Bool {
        json["event"]["repeats"].value != nil || json["data"]["repeats"].value != nil
    }
}
