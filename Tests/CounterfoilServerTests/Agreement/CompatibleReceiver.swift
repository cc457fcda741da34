import Foundation

/// A backend that decides about access from the compatible events alone, by what `docs/webhooks.md` says about them.
struct CompatibleReceiver {
    private struct Period {
        var product: String
        var from: Double
        var until: Double
    }

    /// Products that give no lasting access.
    let consumables: Set<String>
    /// The periods of each purchase, by original transaction, in the order of the messages.
    private var periods: [String: [Period]] = [:]
    private var owners: [String: String] = [:]
    private var seen: Set<String> = []
    /// The messages about each purchase, for failures of the test.
    private(set) var messages: [String: [String]] = [:]

    init(consumables: Set<String>) { self.consumables = consumables }

    mutating func take(_ message: WebhookReceiver.Message) {
        let event = message.json["event"]
        guard seen.insert(message.id).inserted, let original = event["original_transaction_id"].text,
            let type = event["type"].text
        else { return }
        messages[original, default: []].append(String(decoding: message.body, as: UTF8.self))
        if type == "TRANSFER" {
            owners[original] = event["transferred_to"].items.first?.text
            return
        }
        if owners[original] == nil { owners[original] = event["app_user_id"].text }
        let (expires, grace) = (event["expiration_at_ms"].number, event["grace_period_expiration_at_ms"].number)
        switch type {
        case "INITIAL_PURCHASE", "RENEWAL", "NON_RENEWING_PURCHASE", "SUBSCRIPTION_EXTENDED", "REFUND_REVERSED":
            guard let product = event["product_id"].text, !consumables.contains(product) else { return }
            periods[original, default: []].append(
                Period(
                    product: product, from: event["purchased_at_ms"].number ?? 0, until: grace ?? expires ?? .infinity))
        case "BILLING_ISSUE":
            guard let grace, let last = periods[original]?.indices.last else { return }
            periods[original]?[last].until = grace
        case "CANCELLATION":
            // A subscription ends with its period, unless it was refunded. Other purchases end now.
            if expires == nil || event["cancel_reason"].text == "CUSTOMER_SUPPORT" { periods[original] = nil }
        case "EXPIRATION": periods[original] = nil
        default: return
        }
    }

    /// Returns what a customer has at an instant: original transactions, each with its product.
    func access(of customer: String, at instant: Date) -> Set<String> {
        let now = (instant.timeIntervalSince1970 * 1000).rounded()
        let own = owners.filter { $0.value == customer }.keys.compactMap { original -> String? in
            // A period that was paid for in advance has not begun.
            guard let current = periods[original]?.last(where: { $0.from <= now }), now < current.until else {
                return nil
            }
            return "\(original) \(current.product)"
        }
        return Set(own)
    }
}
