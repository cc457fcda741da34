internal import AppStoreModels
internal import Entitlements
internal import Foundation
internal import GRDB

/// How facts lie in the table `facts`. Words that the App Store uses often are stored as numbers, all others as they are,
/// so that nothing new is lost.
enum FactColumns {
    /// The columns of a transaction, in the order of ``values(of:)``.
    static let transaction = [
        "product_id", "type", "group_id", "purchase_date", "expires_date", "revocation_date", "revocation_reason",
        "revocation_type", "is_upgraded", "ownership", "offer_type", "offer_id", "offer_discount", "quantity", "reason",
        "token", "app_transaction_id", "previous_original_id",
    ]

    /// The columns of a renewal info, in the order of ``values(of:)``.
    static let renewal = [
        "product_id", "auto_renew_product_id", "will_renew", "expiration_intent", "is_in_retry", "grace_date",
        "price_increase", "offer_type", "offer_id", "win_back", "renewal_date",
    ]

    static func values(of fact: TransactionFact) -> [(any DatabaseValueConvertible)?] {
        [
            fact.productId, Words.type.code(fact.type.rawValue), fact.subscriptionGroupIdentifier,
            fact.purchaseDate.milliseconds, fact.expiresDate?.milliseconds, fact.revocationDate?.milliseconds,
            fact.revocationReason?.rawValue, fact.revocationType.map { Words.revocation.code($0.rawValue) },
            fact.isUpgraded ? 1 : nil, Words.ownership.code(fact.ownership.rawValue), fact.offerType?.rawValue,
            fact.offerIdentifier, fact.offerDiscountType.map { Words.discount.code($0.rawValue) },
            fact.quantity == 1 ? nil : fact.quantity, fact.reason.map { Words.reason.code($0.rawValue) },
            fact.appAccountToken.map(\.bytes), fact.appTransactionId, fact.previousOriginalTransactionId,
        ]
    }

    static func values(of fact: RenewalFact) -> [(any DatabaseValueConvertible)?] {
        [
            fact.productId, fact.autoRenewProductId, fact.willRenew ? 1 : 0, fact.expirationIntent?.rawValue,
            fact.isInBillingRetry ? 1 : nil, fact.gracePeriodExpiresDate?.milliseconds,
            fact.priceIncreaseStatus?.rawValue, fact.offerType?.rawValue, fact.offerIdentifier,
            // No identifier has a line break.
            fact.eligibleWinBackOfferIds.isEmpty ? nil : fact.eligibleWinBackOfferIds.joined(separator: "\n"),
            fact.renewalDate?.milliseconds,
        ]
    }

    /// What ``row(_:)`` reads, in its order.
    static let reading =
        (["original_id", "kind", "key", "signed_date"] + transaction
        + renewal.filter { !["product_id", "offer_type", "offer_id"].contains($0) }).joined(separator: ", ")

    /// A transaction from a row of ``reading``.
    static func transaction(_ row: Row) -> TransactionFact {
        TransactionFact(
            transactionId: row.text(2) ?? "", originalTransactionId: row.text(0) ?? "", productId: row.text(4) ?? "",
            type: ProductType(rawValue: Words.type.word(row[5]) ?? ""),
            purchaseDate: row.date(7) ?? .distantPast, expiresDate: row.date(8),
            subscriptionGroupIdentifier: row.text(6), signedDate: row.date(3) ?? .distantPast,
            revocationDate: row.date(9), revocationReason: row.small(10).map { .init(rawValue: $0) },
            revocationType: Words.revocation.word(row[11]).map { .init(rawValue: $0) },
            isUpgraded: row.number(12) == 1, ownership: .init(rawValue: Words.ownership.word(row[13]) ?? ""),
            offerType: row.small(14).map { .init(rawValue: $0) }, offerIdentifier: row.text(15),
            offerDiscountType: Words.discount.word(row[16]).map { .init(rawValue: $0) }, quantity: row.small(17) ?? 1,
            reason: Words.reason.word(row[18]).map { .init(rawValue: $0) }, appAccountToken: row.uuid(19),
            appTransactionId: row.text(20), previousOriginalTransactionId: row.text(21))
    }

    /// The renewal info from a row of ``reading``; nil when none is known.
    static func renewal(_ row: Row) -> RenewalFact? {
        guard let signedDate = row.date(3) else { return nil }
        return RenewalFact(
            originalTransactionId: row.text(0) ?? "", productId: row.text(4) ?? "",
            autoRenewProductId: row.text(22) ?? "", willRenew: row.number(23) == 1,
            expirationIntent: row.small(24).map { .init(rawValue: $0) }, isInBillingRetry: row.number(25) == 1,
            gracePeriodExpiresDate: row.date(26), priceIncreaseStatus: row.small(27).map { .init(rawValue: $0) },
            offerType: row.small(14).map { .init(rawValue: $0) }, offerIdentifier: row.text(15),
            eligibleWinBackOfferIds: row.text(28)?.split(separator: "\n").map { String($0) } ?? [],
            renewalDate: row.date(29), signedDate: signedDate)
    }
}

/// The words of an enumeration, as numbers where they are known.
private struct Words: Sendable {
    let known: [String]

    func code(_ word: String) -> any DatabaseValueConvertible {
        if let index = known.firstIndex(of: word) { return index }
        return word
    }

    func word(_ value: DatabaseValue) -> String? {
        switch value.storage {
        case .int64(let code): known.indices.contains(Int(code)) ? known[Int(code)] : nil
        case .string(let word): word
        default: nil
        }
    }

    // The order is part of the file's format: new words go to the end.
    static let type = Words(known: [
        "Auto-Renewable Subscription", "Non-Consumable", "Consumable", "Non-Renewing Subscription",
    ])
    static let revocation = Words(known: ["REFUND_FULL", "REFUND_PRORATED", "FAMILY_REVOKE", "ASSIGNMENT_REVOKE"])
    static let ownership = Words(known: ["PURCHASED", "FAMILY_SHARED", "ASSIGNED"])
    static let discount = Words(known: ["FREE_TRIAL", "PAY_AS_YOU_GO", "PAY_UP_FRONT", "ONE_TIME"])
    static let reason = Words(known: ["PURCHASE", "RENEWAL"])
}

extension UUID {
    /// The sixteen bytes.
    var bytes: Data { withUnsafeBytes(of: uuid) { Data($0) } }

    /// A UUID of sixteen bytes; nil for any other number of them.
    init?(bytes: Data) {
        guard bytes.count == 16 else { return nil }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
        self.init(uuid: uuid)
    }
}

/// How the identifiers of notifications are stored: sixteen bytes for a UUID as it is usually written, else text.
enum StoredUUID {
    static func value(_ text: String) -> DatabaseValue {
        guard text.utf8.count == 36, let uuid = UUID(uuidString: text), uuid.uuidString.lowercased() == text else {
            return text.databaseValue
        }
        return uuid.bytes.databaseValue
    }

    static func text(_ value: DatabaseValue) -> String {
        switch value.storage {
        case .string(let text): text
        case .blob(let bytes): UUID(bytes: bytes)?.uuidString.lowercased() ?? ""
        default: ""
        }
    }
}
