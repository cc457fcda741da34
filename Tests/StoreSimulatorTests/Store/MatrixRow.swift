import AppStoreModels
import Foundation
import StoreSimulator
internal import TestSupport
import Testing

/// A row of the notification matrix: the expected content of a notification.
struct MatrixRow: Sendable, CustomTestStringConvertible {
    typealias Purchase = NotificationRecord.Purchase

    let type: NotificationTypeV2
    let subtype: NotificationSubtype?
    /// The expected `status`; nil if it is absent.
    var status: SubscriptionStatus?
    /// Changes the renewal info of a healthy subscription to the expected one.
    var deviations: @Sendable (inout JWSRenewalInfoDecodedPayload, Purchase) -> Void = { _, _ in }
    /// Whether the transaction is as expected at a time.
    var transaction: @Sendable (JWSTransactionDecodedPayload, Date) -> Bool = { _, _ in true }

    var isSubscription: Bool { status != nil }
    var testDescription: String { type.rawValue + (subtype.map { "/" + $0.rawValue } ?? "") }

    /// Returns the expected renewal info: that of a healthy subscription with the deviations.
    func baseline(of purchase: Purchase) -> JWSRenewalInfoDecodedPayload? {
        guard let info = purchase.renewalInfo else { return nil }
        let transaction = purchase.transaction
        var healthy = JWSRenewalInfoDecodedPayload(
            originalTransactionId: transaction.originalTransactionId, productId: transaction.productId,
            autoRenewProductId: transaction.productId, autoRenewStatus: .on, environment: transaction.environment,
            signedDate: transaction.signedDate)
        healthy.renewalDate = transaction.expiresDate
        healthy.appTransactionId = transaction.appTransactionId
        healthy.appAccountToken = transaction.appAccountToken
        healthy.renewalPrice = Catalogue.shop.product(transaction.productId)?.price
        healthy.currency = "USD"
        // No row specifies these members.
        healthy.recentSubscriptionStartDate = info.recentSubscriptionStartDate
        healthy.eligibleWinBackOfferIds = info.eligibleWinBackOfferIds
        healthy.advancedCommerceInfo = info.advancedCommerceInfo
        deviations(&healthy, purchase)
        // A subscription that does not renew has no renewal price.
        if healthy.autoRenewStatus == .off { (healthy.renewalPrice, healthy.currency) = (nil, nil) }
        return healthy
    }

    func matches(_ purchase: Purchase, _ now: Date) -> Bool {
        guard let info = purchase.renewalInfo else { return transaction(purchase.transaction, now) }
        let isStarted = info.recentSubscriptionStartDate.map { $0 <= now } ?? false
        let isAdvanced = [.metadataUpdate, .migration, .priceChange].contains(type)
        return isStarted && (info.advancedCommerceInfo != nil) == isAdvanced && transaction(purchase.transaction, now)
    }
}

// MARK: - The rows

extension MatrixRow {
    static let all: [MatrixRow] = starts + changes + renewals + ends + refunds + others

    private static func isNew(_ reason: TransactionReason) -> @Sendable (JWSTransactionDecodedPayload, Date) -> Bool {
        { $0.purchaseDate == $1 && $0.transactionReason == reason && $0.revocationDate == nil }
    }

    private static let isOlder: @Sendable (JWSTransactionDecodedPayload, Date) -> Bool = {
        $0.purchaseDate < $1 && $0.revocationDate == nil && $0.isUpgraded == nil
    }

    private static let starts: [MatrixRow] = [
        .init(
            type: .subscribed, subtype: .initialBuy, status: .active,
            transaction: {
                isNew(.purchase)($0, $1) && $0.originalTransactionId == $0.transactionId
                    && $0.originalPurchaseDate == $0.purchaseDate
            }),
        .init(
            type: .subscribed, subtype: .resubscribe, status: .active,
            transaction: {
                isNew(.purchase)($0, $1) && $0.originalTransactionId != $0.transactionId && $0.originalPurchaseDate < $1
            }),
        .init(
            type: .oneTimeCharge, subtype: nil,
            transaction: {
                isNew(.purchase)($0, $1) && $0.originalTransactionId == $0.transactionId && $0.expiresDate == nil
                    && $0.webOrderLineItemId == nil
            }),
    ]

    private static let changes: [MatrixRow] = [
        .init(
            type: .didChangeRenewalPref, subtype: .upgrade, status: .active,
            transaction: { isNew(.purchase)($0, $1) && $0.originalTransactionId != $0.transactionId }),
        .init(
            type: .didChangeRenewalPref, subtype: .downgrade, status: .active,
            deviations: { info, purchase in info.renew(into: "plus", unlike: purchase) }, transaction: isOlder),
        .init(type: .didChangeRenewalPref, subtype: nil, status: .active, transaction: isOlder),
        .init(
            type: .didChangeRenewalStatus, subtype: .autoRenewDisabled, status: .active,
            deviations: { info, _ in info.autoRenewStatus = .off }, transaction: isOlder),
        .init(type: .didChangeRenewalStatus, subtype: .autoRenewEnabled, status: .active, transaction: isOlder),
        .init(
            type: .didChangeRenewalStatus, subtype: nil, status: .active,
            deviations: { info, _ in
                info.autoRenewStatus = .off
                info.priceIncreaseStatus = .pending
            }, transaction: isOlder),
        .init(
            type: .offerRedeemed, subtype: nil, status: .active,
            deviations: { info, _ in info.offer("goldfish", 9990) }, transaction: isOlder),
        .init(
            type: .offerRedeemed, subtype: .upgrade, status: .active,
            deviations: { info, _ in info.offer("goldfish", 9990) },
            transaction: {
                isNew(.purchase)($0, $1) && $0.offerType == .promotional && $0.offerIdentifier == "goldfish"
            }),
        .init(
            type: .offerRedeemed, subtype: .downgrade, status: .active,
            deviations: { info, purchase in
                info.renew(into: "plus", unlike: purchase)
                info.offer("loyal", 4990)
            }, transaction: isOlder),
    ]

    private static let renewals: [MatrixRow] = [
        .init(type: .didRenew, subtype: nil, status: .active, transaction: isNew(.renewal)),
        .init(type: .didRenew, subtype: .billingRecovery, status: .active, transaction: isNew(.renewal)),
        .init(
            type: .didFailToRenew, subtype: .gracePeriod, status: .billingGracePeriod,
            deviations: { info, purchase in
                info.fail()
                info.gracePeriodExpiresDate = purchase.transaction.expiresDate.map { $0 + 16 * 86_400 }
            }, transaction: isOlder),
        .init(
            type: .didFailToRenew, subtype: nil, status: .billingRetry, deviations: { info, _ in info.fail() },
            transaction: { isOlder($0, $1) && $0.expiresDate == $1 }),
        .init(
            type: .gracePeriodExpired, subtype: nil, status: .billingRetry, deviations: { info, _ in info.fail() },
            transaction: { isOlder($0, $1) && $0.expiresDate.map { $0 + 16 * 86_400 } == $1 }),
        .init(
            type: .priceIncrease, subtype: .pending, status: .active,
            deviations: { info, _ in info.raise(.pending) }, transaction: isOlder),
        .init(
            type: .priceIncrease, subtype: .accepted, status: .active,
            deviations: { info, _ in info.raise(.accepted) }, transaction: isOlder),
    ]

    private static let ends: [MatrixRow] = [
        .init(
            type: .expired, subtype: .voluntary, status: .expired,
            deviations: { info, _ in info.end(.customerCancelled) },
            transaction: { isOlder($0, $1) && $0.expiresDate == $1 }),
        .init(
            type: .expired, subtype: .billingRetry, status: .expired,
            deviations: { info, _ in info.end(.billingError) },
            transaction: { isOlder($0, $1) && $0.expiresDate.map { $0 + 60 * 86_400 } == $1 }),
        .init(
            type: .expired, subtype: .priceIncrease, status: .expired,
            deviations: { info, _ in
                info.end(.priceIncreaseNotAccepted)
                info.priceIncreaseStatus = .pending
            }, transaction: isOlder),
        .init(
            type: .expired, subtype: .productNotForSale, status: .expired,
            deviations: { info, _ in info.end(.productNotAvailable) }, transaction: isOlder),
        .init(
            type: .expired, subtype: nil, status: .expired, deviations: { info, _ in info.end(.other) },
            transaction: isOlder),
    ]

    private static let refunds: [MatrixRow] = [
        .init(type: .consumptionRequest, subtype: nil, status: .active, transaction: isOlder),
        .init(
            type: .refund, subtype: nil, status: .revoked, deviations: { info, _ in info.autoRenewStatus = .off },
            transaction: {
                $0.revocationDate == $1 && $0.revocationReason == .other && $0.revocationType == .refundFull
                    && $0.revocationPercentage == 100_000
            }),
        .init(type: .refundDeclined, subtype: nil, status: .active, transaction: isOlder),
        .init(
            type: .refundReversed, subtype: nil, status: .active,
            deviations: { info, _ in info.autoRenewStatus = .off },
            transaction: {
                isOlder($0, $1) && $0.revocationReason == nil && $0.revocationType == nil
                    && $0.revocationPercentage == nil
            }),
        .init(
            type: .revoke, subtype: nil, status: .revoked, deviations: { info, _ in info.autoRenewStatus = .off },
            transaction: {
                $0.revocationDate == $1 && $0.revocationReason == .other && $0.revocationType == .familyRevoke
                    && $0.inAppOwnershipType == .familyShared
            }),
    ]

    private static let others: [MatrixRow] = [
        .init(type: .renewalExtended, subtype: nil, status: .active, transaction: isOlder),
        .init(type: .renewalExtension, subtype: .failure, status: .active, transaction: isOlder),
        .init(type: .renewalExtension, subtype: .summary),
        .init(type: .test, subtype: nil),
        .init(type: .rescindConsent, subtype: nil),
        .init(type: .externalPurchaseToken, subtype: .created),
        .init(type: .externalPurchaseToken, subtype: .activeTokenReminder),
        .init(type: .externalPurchaseToken, subtype: .unreported),
        .init(
            type: .metadataUpdate, subtype: nil, status: .active, deviations: { info, _ in info.renewalPrice = 9990 },
            transaction: { isOlder($0, $1) && $0.advancedCommerceInfo != nil }),
        .init(
            type: .migration, subtype: nil, status: .active, deviations: { info, _ in info.renewalPrice = 19_990 },
            transaction: { payload, now in
                guard let old = payload.previousOriginalTransactionId, old != payload.originalTransactionId else {
                    return false
                }
                return isNew(.purchase)(payload, now) && payload.originalTransactionId == payload.transactionId
                    && payload.productId == "generic" && payload.advancedCommerceInfo != nil
            }),
        .init(
            type: .priceChange, subtype: nil, status: .active, deviations: { info, _ in info.renewalPrice = 9990 },
            transaction: isOlder),
    ]
}

extension JWSRenewalInfoDecodedPayload {
    fileprivate mutating func renew(into product: String, unlike purchase: NotificationRecord.Purchase) {
        // The transaction must still be of another product.
        autoRenewProductId = product == purchase.transaction.productId ? "" : product
        renewalPrice = Catalogue.shop.product(product)?.price
    }

    fileprivate mutating func offer(_ id: String, _ price: Int64) {
        (offerType, offerIdentifier, offerDiscountType, offerPeriod) = (.promotional, id, .payAsYouGo, "P3M")
        renewalPrice = price
    }

    fileprivate mutating func fail() { (expirationIntent, isInBillingRetryPeriod) = (.billingError, true) }

    fileprivate mutating func end(_ intent: ExpirationIntent) {
        (autoRenewStatus, expirationIntent, isInBillingRetryPeriod) = (.off, intent, false)
    }

    fileprivate mutating func raise(_ status: PriceIncreaseStatus) {
        priceIncreaseStatus = status
        renewalPrice = renewalPrice.map { $0 + max($0 / 5, 1000) }
    }
}
