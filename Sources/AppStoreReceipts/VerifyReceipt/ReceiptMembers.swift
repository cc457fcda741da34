package import AppStoreModels
package import Entitlements
package import Foundation

/// Builds the members of an object in a `verifyReceipt` response, in which most values are strings. Nil values are
/// omitted.
package struct ReceiptMembers {
    package private(set) var all: [OrderedJSON.Member] = []

    package init() {}

    package mutating func add(_ name: String, _ value: OrderedJSON?) {
        if let value { all.append(.init(name, value)) }
    }

    package mutating func add(_ name: String, _ text: String?) { add(name, text.map(OrderedJSON.string)) }

    package mutating func add(_ name: String, _ flag: Bool?) { add(name, flag.map { $0 ? "true" : "false" }) }

    /// Adds a date, rounded to a millisecond, in its three forms.
    package mutating func add(_ name: String, _ date: Date?) {
        guard let milliseconds = date?.millisecondsSince1970, let date = Date(millisecondsSince1970: milliseconds)
        else { return }
        add(name, date.wallClock(offset: 0) + " Etc/GMT")
        add(name + "_ms", String(milliseconds))
        guard let losAngeles = Self.losAngeles else { return }
        add(name + "_pst", date.wallClock(offset: losAngeles.secondsFromGMT(for: date)) + " America/Los_Angeles")
    }

    /// Adds the identifier of an offer. Receipts contain only two of the four offer types.
    package mutating func addOffer(_ type: OfferType?, _ identifier: String?) {
        switch type {
        case .promotional: add("promotional_offer_id", identifier)
        case .offerCode: add("offer_code_ref_name", identifier)
        default: return
        }
    }

    private static let losAngeles = TimeZone(identifier: "America/Los_Angeles")
}

extension ReceiptMembers {
    /// Creates an entry of `latest_receipt_info`.
    package init(_ fact: TransactionFact, originalPurchaseDate: Date?, webOrderLineItemID: String?) {
        let isIntroductory = fact.offerType == .introductory
        let isTrial = isIntroductory && fact.offerDiscountType == .freeTrial
        self.init()
        add("quantity", String(fact.quantity))
        add("product_id", fact.productID)
        add("transaction_id", fact.transactionID)
        add("original_transaction_id", fact.originalTransactionID)
        add("purchase_date", fact.purchaseDate)
        add("original_purchase_date", originalPurchaseDate)
        add("expires_date", fact.expiresDate)
        add("web_order_line_item_id", webOrderLineItemID)
        add("is_trial_period", isTrial)
        if fact.type == .autoRenewableSubscription { add("is_in_intro_offer_period", isIntroductory && !isTrial) }
        add("cancellation_date", fact.revocationDate)
        if fact.revocationDate != nil { add("cancellation_reason", String(fact.revocationReason?.rawValue ?? 0)) }
        addOffer(fact.offerType, fact.offerIdentifier)
        add("subscription_group_identifier", fact.subscriptionGroupIdentifier)
        if fact.isUpgraded { add("is_upgraded", true) }
        add("in_app_ownership_type", fact.ownership.rawValue)
        add("app_account_token", fact.appAccountToken?.text)
    }

    /// Creates an entry of `latest_receipt_info`.
    package init(_ payload: JWSTransactionDecodedPayload) {
        self.init(
            TransactionFact(payload), originalPurchaseDate: payload.originalPurchaseDate,
            webOrderLineItemID: payload.webOrderLineItemId)
    }
}

extension Date {
    /// Formats a date as `2020-07-22 10:39:08`. `offset` is in seconds east of Greenwich.
    ///
    /// Not with Foundation, whose dates before October 1582 are Julian: those in Xcode's data may be in the year 1.
    fileprivate func wallClock(offset: Int) -> String {
        guard let seconds = Int(exactly: timeIntervalSince1970.rounded(.down)) else { return "" }
        let day = (seconds + offset).flooredQuotientAndRemainder(dividingBy: 86400)
        // Days since 0000-03-01: leap days come last in such years (400 years have 146 097 days).
        let era = (day.quotient + 719_468).flooredQuotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (era.remainder - era.remainder / 1460 + era.remainder / 36524 - era.remainder / 146_096) / 365
        let dayOfYear = era.remainder - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
        let year = yearOfEra + era.quotient * 400 + (month >= 10 ? 1 : 0)
        let time = day.remainder
        return Self.pad(year, 4) + "-" + Self.pad(month >= 10 ? month - 9 : month + 3, 2) + "-"
            + Self.pad(dayOfMonth, 2)
            + " " + Self.pad(time / 3600, 2) + ":" + Self.pad(time / 60 % 60, 2) + ":" + Self.pad(time % 60, 2)
    }

    private static func pad(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

extension Int {
    fileprivate func flooredQuotientAndRemainder(dividingBy divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
