internal import Foundation

extension OrderedJSON {
    /// The `receipt` object for a unified receipt, in the order measured at Apple's. Numbers and texts as there: what is
    /// about the app can be a number, everything in `in_app` is text.
    static func verifyReceipt(_ receipt: AppReceipt, requestDate: Date) -> OrderedJSON {
        var members = Members()
        members.add("receipt_type", receipt.receiptType.map { .string($0.rawValue) })
        members.add("adam_id", receipt.appAppleID.map(OrderedJSON.number))
        members.add("app_item_id", receipt.appAppleID.map(OrderedJSON.number))
        members.add("bundle_id", .string(receipt.bundleID))
        members.add("application_version", .string(receipt.version))
        members.add("download_id", receipt.downloadID.map(OrderedJSON.number))
        members.add("version_external_identifier", receipt.versionExternalID.map(OrderedJSON.number))
        members.add("receipt_creation_date", receipt.creationDate)
        members.add("request_date", requestDate)
        members.add("original_purchase_date", receipt.originalPurchaseDate)
        members.add("expiration_date", receipt.expirationDate)
        members.add("preorder_date", receipt.preorderDate)
        members.add("original_application_version", receipt.originalVersion.map(OrderedJSON.string))
        members.add("in_app", .array(receipt.purchases.map(verifyReceipt)))
        return .object(members.all)
    }

    private static func verifyReceipt(_ purchase: InAppPurchase) -> OrderedJSON {
        var members = Members()
        members.add("quantity", purchase.quantity.map { .string(String($0)) })
        members.add("product_id", .string(purchase.productID))
        members.add("transaction_id", .string(purchase.transactionID))
        members.add("original_transaction_id", purchase.originalTransactionID.map(OrderedJSON.string))
        members.add("purchase_date", purchase.purchaseDate)
        members.add("original_purchase_date", purchase.originalPurchaseDate)
        members.add("expires_date", purchase.expirationDate)
        members.add("web_order_line_item_id", purchase.webOrderLineItemID.map { .string(String($0)) })
        members.add("is_trial_period", .string(purchase.isTrialPeriod == true ? "true" : "false"))
        members.add(
            "is_in_intro_offer_period", purchase.isInIntroductoryOfferPeriod.map { .string($0 ? "true" : "false") })
        members.add("cancellation_date", purchase.cancellationDate)
        members.add("cancellation_reason", purchase.cancellationReason.map { .string(String($0)) })
        members.add("promotional_offer_id", purchase.promotionalOfferID.map(OrderedJSON.string))
        return .object(members.all)
    }

    /// The `receipt` object for a transaction receipt: its fields in file order, underscores for hyphens, all text. Its
    /// `expires_date` is in milliseconds, other than that of unified receipts: so it was at Apple's.
    static func verifyReceipt(_ receipt: LegacyReceipt) -> OrderedJSON {
        .object(receipt.fields.map { .init($0.key.replacing("-", with: "_"), .string($0.value)) })
    }

    private struct Members {
        var all: [Member] = []

        mutating func add(_ name: String, _ value: OrderedJSON?) {
            if let value { all.append(.init(name, value)) }
        }

        /// A date in its three forms; none when it is absent.
        mutating func add(_ name: String, _ date: Date?) {
            guard let date, let milliseconds = date.receiptMilliseconds else { return }
            add(name, .string(date.wallClock(offset: 0) + " Etc/GMT"))
            add(name + "_ms", .string(String(milliseconds)))
            guard let losAngeles = TimeZone.losAngeles else { return }
            let offset = losAngeles.secondsFromGMT(for: date)
            add(name + "_pst", .string(date.wallClock(offset: offset) + " America/Los_Angeles"))
        }
    }
}

extension TimeZone {
    fileprivate static let losAngeles = TimeZone(identifier: "America/Los_Angeles")
}

extension Date {
    /// `2020-07-22 10:39:08`, so many seconds east of Greenwich.
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
