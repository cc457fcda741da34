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

    static func values(of fact: TransactionFact) -> [SQLValue] {
        [
            .text(fact.productId), Words.type.code(fact.type.rawValue), .init(fact.subscriptionGroupIdentifier),
            .integer(fact.purchaseDate.milliseconds), .init(fact.expiresDate?.milliseconds),
            .init(fact.revocationDate?.milliseconds), .init(fact.revocationReason?.rawValue),
            Words.revocation.code(fact.revocationType?.rawValue), fact.isUpgraded ? .integer(1) : .null,
            Words.ownership.code(fact.ownership.rawValue), .init(fact.offerType?.rawValue),
            .init(fact.offerIdentifier), Words.discount.code(fact.offerDiscountType?.rawValue),
            fact.quantity == 1 ? .null : .init(fact.quantity), Words.reason.code(fact.reason?.rawValue),
            .init(fact.appAccountToken?.bytes), .init(fact.appTransactionId),
            .init(fact.previousOriginalTransactionId),
        ]
    }

    static func values(of fact: RenewalFact) -> [SQLValue] {
        [
            .text(fact.productId), .text(fact.autoRenewProductId), .integer(fact.willRenew ? 1 : 0),
            .init(fact.expirationIntent?.rawValue), fact.isInBillingRetry ? .integer(1) : .null,
            .init(fact.gracePeriodExpiresDate?.milliseconds), .init(fact.priceIncreaseStatus?.rawValue),
            .init(fact.offerType?.rawValue), .init(fact.offerIdentifier),
            // No identifier has a line break.
            fact.eligibleWinBackOfferIds.isEmpty ? .null : .text(fact.eligibleWinBackOfferIds.joined(separator: "\n")),
            .init(fact.renewalDate?.milliseconds),
        ]
    }

    /// What ``transaction(_:)`` and ``renewal(_:)`` read, in their order.
    static let reading =
        (["original_id", "kind", "key", "signed_date"] + transaction
        + renewal.filter { !["product_id", "offer_type", "offer_id"].contains($0) })
        .map { "facts.\($0)" }.joined(separator: ", ")

    /// A transaction from a row of ``reading``.
    static func transaction(_ row: SQLStatement) -> TransactionFact {
        TransactionFact(
            transactionId: row.text(2) ?? "", originalTransactionId: row.text(0) ?? "", productId: row.text(4) ?? "",
            type: ProductType(rawValue: Words.type.word(row.value(5)) ?? ""),
            purchaseDate: row.date(7) ?? .distantPast, expiresDate: row.date(8),
            subscriptionGroupIdentifier: row.text(6), signedDate: row.date(3) ?? .distantPast,
            revocationDate: row.date(9), revocationReason: row.small(10).map { .init(rawValue: $0) },
            revocationType: Words.revocation.word(row.value(11)).map { .init(rawValue: $0) },
            isUpgraded: row.number(12) == 1, ownership: .init(rawValue: Words.ownership.word(row.value(13)) ?? ""),
            offerType: row.small(14).map { .init(rawValue: $0) }, offerIdentifier: row.text(15),
            offerDiscountType: Words.discount.word(row.value(16)).map { .init(rawValue: $0) },
            quantity: row.small(17) ?? 1,
            reason: Words.reason.word(row.value(18)).map { .init(rawValue: $0) }, appAccountToken: row.uuid(19),
            appTransactionId: row.text(20), previousOriginalTransactionId: row.text(21))
    }

    /// The renewal info from a row of ``reading``; nil when none is known.
    static func renewal(_ row: SQLStatement) -> RenewalFact? {
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

    func code(_ word: String?) -> SQLValue {
        guard let word, let index = known.firstIndex(of: word) else { return SQLValue(word) }
        return .integer(Int64(index))
    }

    func word(_ value: SQLValue) -> String? {
        switch value {
        case .integer(let code): known.indices.contains(Int(code)) ? known[Int(code)] : nil
        case .text(let word): word
        case .null, .blob: nil
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
    static func value(_ text: String) -> SQLValue {
        guard let uuid = UUID(text: text), uuid.text == text else {
            return .text(text)
        }
        return .blob(uuid.bytes)
    }

    static func text(_ value: SQLValue) -> String {
        switch value {
        case .text(let text): text
        case .blob(let bytes): UUID(bytes: bytes)?.text ?? ""
        case .integer, .null: ""
        }
    }
}
