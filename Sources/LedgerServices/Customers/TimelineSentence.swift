internal import Basics
package import Ledger
internal import AppStoreModels
package import Foundation

/// Says in one sentence what happened, for people. English; not for programs.
package enum TimelineSentence {
    /// What a notification tells.
    package static func text(_ kept: KeptNotification, _ parts: NotificationParts?) -> String {
        guard let parts else {
            if kept.isDamaged { return "Received, but its text is damaged on disk." }
            return switch kept.state {
            case .pending: "Received, not yet processed."
            case .failed: "Received, but the data in it failed verification."
            case .folded: "Received, but its signatures no longer verify."
            }
        }
        let type = NotificationTypeV2(rawValue: kept.type)
        let subtype = kept.subtype.map(NotificationSubtype.init)
        if let template = NotificationKind.closest(to: type, subtype)?.sentence {
            return text(filling: template, from: parts)
        }
        let kind = [kept.type, kept.subtype].compactMap(\.self).joined(separator: " ")
        return "\(kind) for \(parts.product)."
    }

    /// A template with its places filled. A phrase in brackets is left out when a value in it is not known.
    private static func text(filling template: String, from parts: NotificationParts) -> String {
        func filled(_ phrase: Substring) -> String? {
            var text = ""
            for (index, piece) in phrase.pieces(between: "{", "}").enumerated() {
                if index.isMultiple(of: 2) {
                    text += piece
                } else if let value = NotificationKind.Place(rawValue: String(piece)).flatMap(parts.value) {
                    text += value
                } else {
                    return nil
                }
            }
            return text
        }
        return template[...].pieces(between: "[", "]").compactMap(filled).joined()
    }

    /// That a purchase came to a customer, or went from them.
    package static func text(_ change: CustomerChange, naming: Bool) -> String {
        let original = change.originalTransactionID
        func names(_ customers: [String]) -> String {
            guard naming, !customers.isEmpty else { return "another customer" }
            return customers.map { "the customer \($0)" }.joined(separator: " and ")
        }
        if change.isLoss { return "The purchase \(original) was transferred to \(names(change.change.to))." }
        return change.change.from.isEmpty
            ? "The app linked the purchase \(original) to this customer."
            : "The purchase \(original) was transferred to this customer from \(names(change.change.from))."
    }

    /// A day such as `3 May 2026`, in UTC.
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
    fileprivate var product: String { transaction?.productId ?? renewal?.productId ?? "a product" }

    /// What stands in a place of a sentence; nil where nothing is known.
    fileprivate func value(of place: NotificationKind.Place) -> String? {
        switch place {
        case .product: product
        case .nextProduct: renewal?.autoRenewProductId ?? "another product"
        case .price: price
        case .expiry: transaction?.expiresDate.map(TimelineSentence.day)
        case .graceExpiry: renewal?.gracePeriodExpiresDate.map(TimelineSentence.day)
        case .revocation: transaction?.revocationDate.map(TimelineSentence.day)
        case .quantity: transaction.flatMap { $0.quantity > 1 ? String($0.quantity) : nil }
        }
    }

    private var price: String? {
        guard let price = transaction?.price, let currency = transaction?.currency else { return nil }
        return price == 0 ? "free" : PriceText.price(price, currency)
    }
}

extension Substring {
    /// The pieces before, between and after the marks: every second one stands between two of them.
    fileprivate func pieces(between opening: Character, _ closing: Character) -> [Substring] {
        split(omittingEmptySubsequences: false) { $0 == opening || $0 == closing }
    }
}
