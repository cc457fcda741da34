internal import AppStoreModels
internal import Basics
internal import Entitlements
package import Foundation
package import Ledger

/// Describes an entry of the timeline in one English sentence. The wording is for people and may change.
package enum TimelineSentence {
    /// Returns the sentence for a notification. Without `parts`, the sentence tells why they are missing.
    package static func text(_ stored: StoredNotification, _ parts: NotificationParts?) -> String {
        guard let parts else {
            if stored.isDamaged { return "Received, but its text is damaged on disk." }
            return switch stored.state {
            case .pending: "Received, not yet processed."
            case .failed: "Received, but the data in it failed verification."
            case .processed: "Received, but its signatures no longer verify."
            }
        }
        let type = NotificationTypeV2(rawValue: stored.type)
        let subtype = stored.subtype.map(NotificationSubtype.init)
        let kind = NotificationKind.closest(to: type, subtype)
        if let sentence = kind?.sentence(filling: parts.value) { return sentence }
        let name = [stored.type, stored.subtype].compactMap(\.self).joined(separator: " ")
        return "\(name) for \(parts.product)."
    }

    /// Returns the sentence for a change of a purchase's owner.
    ///
    /// - Parameter naming: Whether the sentence may contain the identifiers of other customers.
    package static func text(_ change: CustomerChange, naming: Bool) -> String {
        let original = change.originalTransactionID
        if change.isErasure { return "The purchase \(original) lost its owner: this customer was erased." }
        if change.isLoss {
            return "The purchase \(original) was transferred to \(newOwners(change.change, naming: naming))."
        }
        guard !change.change.from.isEmpty else { return "The app linked the purchase \(original) to this customer." }
        let former = names(change.change.from, naming: naming)
        return "The purchase \(original) was transferred to this customer from \(former)."
    }

    /// Returns the customers to whom a purchase went, for a sentence to a customer who lost it.
    ///
    /// - Parameter naming: Whether the sentence may contain the identifiers of other customers.
    static func newOwners(_ change: Ownership.Change, naming: Bool) -> String {
        // A customer who shared the purchase lost it, for example by a merge with one who owned it too.
        change.to.isEmpty ? "its other owners" : names(change.to, naming: naming)
    }

    /// Returns the former or new owners of a purchase for a sentence, without the placeholders of erased customers.
    ///
    /// - Parameter naming: Whether the sentence may contain the identifiers of other customers.
    static func names(_ customers: [String], naming: Bool) -> String {
        guard naming, !customers.isEmpty else { return "another customer" }
        return customers.map { Erasure.isStandIn($0) ? "an erased customer" : "the customer \($0)" }
            .joined(separator: " and ")
    }

    /// Returns a day such as `3 May 2026`, in UTC.
    package static func day(_ date: Date) -> String {
        let parts = Calendar.gregorianUTC.dateComponents([.year, .month, .day], from: date)
        guard let year = parts.year, let month = parts.month, let day = parts.day, months.indices.contains(month - 1)
        else { return "an unknown date" }
        return "\(day) \(months[month - 1]) \(year)"
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
}

extension NotificationParts {
    fileprivate var product: String {
        (transaction?.productId ?? renewal?.productId).map { $0 + ownership } ?? "a product"
    }

    private var ownership: String { transaction?.inAppOwnershipType.remark ?? "" }

    /// Returns the text for a placeholder; nil if the value is unknown.
    fileprivate func value(of place: NotificationKind.Placeholder) -> String? {
        switch place {
        case .product: product
        case .nextProduct: nextProduct ?? "another product"
        case .otherProduct: nextProduct == (transaction?.productId ?? renewal?.productId) ? nil : nextProduct
        case .price: price
        case .expiry: transaction?.expiresDate.map(TimelineSentence.day)
        case .end: end.map(TimelineSentence.day)
        case .graceExpiry: renewal?.gracePeriodExpiresDate.map(TimelineSentence.day)
        case .revocation: transaction?.revocationDate.map(TimelineSentence.day)
        case .refundedPart: isRefundedInPart ? "in part" : nil
        case .lossCause: lossCause
        case .payer: (transaction?.inAppOwnershipType ?? .purchased).payer
        case .quantity: transaction.flatMap { $0.quantity > 1 ? String($0.quantity) : nil }
        }
    }

    /// The product that the subscription will renew into. Within a commitment, each payment is for the present one.
    var nextProduct: String? {
        renewal?.commitmentInfo?.commitmentAutoRenewProductId ?? renewal?.autoRenewProductId
    }

    private var end: Date? {
        let end = transaction?.commitmentInfo?.commitmentExpiresDate ?? transaction?.expiresDate
        return end.flatMap { $0 > payload.signedDate ? $0 : nil }
    }

    /// Whether a refund was not of the whole price. Without a date, only some items of an Advanced Commerce purchase
    /// were refunded, and the purchase goes on.
    private var isRefundedInPart: Bool {
        transaction.map { $0.revocationType == .refundProrated || $0.revocationDate == nil } ?? false
    }

    private var lossCause: String {
        let isAssigned =
            transaction?.revocationType == .assignmentRevoke || transaction?.inAppOwnershipType == .assigned
        return isAssigned ? "the assignment" : "sharing"
    }

    private var price: String? {
        guard ownership.isEmpty, let price = transaction?.price, let currency = transaction?.currency else {
            return nil
        }
        return price == 0 ? "free" : PriceText.price(price, currency)
    }
}
