internal import AppStoreModels
internal import Foundation

/// Says in one sentence what happened, for people. English; not for programs.
package enum TimelineSentence {
    /// What a notification tells.
    static func text(_ kept: KeptNotification, _ parts: NotificationParts?) -> String {
        guard let parts else {
            return switch kept.state {
            case .pending: "Received; it waits to be read."
            case .failed: "Received, but what it holds cannot be believed."
            case .folded: "Received, but its signatures do not hold any more."
            }
        }
        return Words(parts).text(kept.type, kept.subtype)
    }

    /// That a purchase came to a customer, or went from them.
    static func text(_ change: CustomerChange, naming: Bool) -> String {
        let original = change.originalTransactionId
        func names(_ customers: [String]) -> String {
            guard naming, !customers.isEmpty else { return "another customer" }
            return customers.map { "the customer \($0)" }.joined(separator: " and ")
        }
        if change.isLoss { return "The purchase \(original) was transferred to \(names(change.change.to))." }
        return change.change.from.isEmpty
            ? "The app linked the purchase \(original) to this customer."
            : "The purchase \(original) was transferred to this customer from \(names(change.change.from))."
    }

    /// A price such as `9.99 USD`, from thousandths.
    package static func price(_ price: Int64, _ currency: String) -> String {
        let (whole, rest) = price.magnitude.quotientAndRemainder(dividingBy: 1000)
        var digits = ""
        if rest != 0 || !currenciesWithoutCents.contains(currency) {
            let thousandths = String(1000 + rest).dropFirst()
            digits = "." + (thousandths.hasSuffix("0") ? thousandths.dropLast() : thousandths)
        }
        return "\(price < 0 ? "-" : "")\(whole)\(digits) \(currency)"
    }

    /// A day such as `3 May 2026`, in UTC.
    static func day(_ date: Date) -> String {
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        guard let year = parts.year, let month = parts.month, let day = parts.day, months.indices.contains(month - 1)
        else { return "an unknown date" }
        return "\(day) \(months[month - 1]) \(year)"
    }

    private static let currenciesWithoutCents: Set = ["JPY", "KRW", "VND", "CLP", "PYG", "ISK", "UGX", "XAF", "XOF"]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
    private static let calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()
}

/// The words for the parts of a notification.
private struct Words {
    private let product: String
    private let price: String
    private let until: String
    private let transaction: JWSTransactionDecodedPayload?
    private let renewal: JWSRenewalInfoDecodedPayload?

    init(_ parts: NotificationParts) {
        transaction = parts.transaction
        renewal = parts.renewal
        product = parts.transaction?.productId ?? parts.renewal?.productId ?? "a product"
        until = parts.transaction?.expiresDate.map { " until \(TimelineSentence.day($0))" } ?? ""
        if let price = parts.transaction?.price, let currency = parts.transaction?.currency {
            self.price = price == 0 ? " for free" : " for \(TimelineSentence.price(price, currency))"
        } else {
            price = ""
        }
    }

    func text(_ type: String, _ subtype: String?) -> String {
        subscription(type, subtype) ?? purchase(type, subtype) ?? other(type, subtype)
    }

    private func subscription(_ type: String, _ subtype: String?) -> String? {
        switch (type, subtype) {
        case ("SUBSCRIBED", "RESUBSCRIBE"?): "Subscribed again to \(product)\(until)\(price)."
        case ("SUBSCRIBED", _): "Subscribed to \(product)\(until)\(price)."
        case ("DID_RENEW", "BILLING_RECOVERY"?): "Paid after all: \(product) renewed\(until)\(price)."
        case ("DID_RENEW", _): "Renewed\(until)\(price)."
        case ("DID_FAIL_TO_RENEW", "GRACE_PERIOD"?):
            "The renewal of \(product) could not be charged; access goes on\(grace)."
        case ("DID_FAIL_TO_RENEW", _): "The renewal of \(product) could not be charged; the App Store tries again."
        case ("GRACE_PERIOD_EXPIRED", _): "The billing grace period of \(product) ended without payment."
        case ("EXPIRED", "VOLUNTARY"?): "\(product) expired: the customer had cancelled."
        case ("EXPIRED", "BILLING_RETRY"?): "\(product) expired: it was not paid for."
        case ("EXPIRED", "PRICE_INCREASE"?): "\(product) expired: the customer did not agree to the higher price."
        case ("EXPIRED", "PRODUCT_NOT_FOR_SALE"?): "\(product) expired: it was no longer for sale."
        case ("EXPIRED", _): "\(product) expired."
        case ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED"?): "Cancelled: \(product) ends\(ending)."
        case ("DID_CHANGE_RENEWAL_STATUS", _): "Changed their mind: \(product) will renew again."
        case ("DID_CHANGE_RENEWAL_PREF", "UPGRADE"?): "Upgraded to \(product)\(until)\(price)."
        case ("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE"?): "Will change to \(next) at the next renewal."
        case ("DID_CHANGE_RENEWAL_PREF", _): "Took back the change: \(product) stays."
        case ("OFFER_REDEEMED", _): "Redeemed an offer for \(product)\(until)\(price)."
        default: changes(type, subtype)
        }
    }

    private func changes(_ type: String, _ subtype: String?) -> String? {
        switch (type, subtype) {
        case ("PRICE_INCREASE", "PENDING"?): "Was asked to agree to a higher price of \(product)."
        case ("PRICE_INCREASE", _): "Agreed to the higher price of \(product)."
        case ("PRICE_CHANGE", _): "The price of \(product) changed."
        case ("RENEWAL_EXTENDED", _): "The current period of \(product) was extended\(until)."
        case ("RENEWAL_EXTENSION", _): "The current period of \(product) could not be extended."
        case ("METADATA_UPDATE", _): "The description of \(product) changed."
        case ("MIGRATION", _): "The subscription to \(product) moved to Advanced Commerce."
        default: nil
        }
    }

    private func purchase(_ type: String, _ subtype: String?) -> String? {
        switch type {
        case "ONE_TIME_CHARGE": "Bought \(product)\(quantity)\(price)."
        case "REFUND": "Refunded: \(product)\(taken)."
        case "REFUND_DECLINED": "A refund of \(product) was declined."
        case "REFUND_REVERSED": "The refund of \(product) was reversed."
        case "REVOKE": "Lost \(product)\(taken): sharing ended."
        case "CONSUMPTION_REQUEST": "Asked for a refund of \(product)."
        default: nil
        }
    }

    private func other(_ type: String, _ subtype: String?) -> String {
        "\(([type] + [subtype].compactMap(\.self)).joined(separator: " ")) for \(product)."
    }

    private var grace: String {
        renewal?.gracePeriodExpiresDate.map { " until \(TimelineSentence.day($0))" } ?? ""
    }

    private var ending: String { transaction?.expiresDate.map { " on \(TimelineSentence.day($0))" } ?? "" }
    private var taken: String { transaction?.revocationDate.map { " on \(TimelineSentence.day($0))" } ?? "" }
    private var next: String { renewal?.autoRenewProductId ?? "another product" }
    private var quantity: String {
        transaction.flatMap { $0.quantity > 1 ? " (\($0.quantity) times)" : nil } ?? ""
    }
}
