internal import AppStoreModels
internal import Foundation

// What an app is told that still gets version 1.

extension Store {
    /// Announces in version 1 what version 2 would tell by `type` and `subtype`.
    ///
    /// It takes as many identifiers and dates of signatures as version 2 does. So the same commands make the same
    /// purchases, whichever version an app gets.
    mutating func announceVersion1(
        _ type: NotificationTypeV2, _ subtype: NotificationSubtype?, about transaction: StoredTransaction, at now: Date
    ) {
        let (signed, first) = (moveSignature(at: now), identifiers.version4())
        let payload = transaction.payload
        for (index, type) in version1(type, subtype, about: transaction).enumerated() {
            // Nobody outside sees it: version 1 has no identifiers.
            let id = index == 0 ? first : Self.derivedUUID(first.uuidString.lowercased(), "\(index)")
            var record = NotificationRecord(
                id: id, type: NotificationTypeV2(rawValue: type.rawValue), subtype: nil, date: now,
                signedDate: signed,
                content: .version1(
                    .init(
                        type: type, transactionID: payload.transactionId,
                        originalTransactionID: payload.originalTransactionId, productID: payload.productId)),
                customer: transaction.customer, testToken: nil, appAppleID: nil)
            if settings.notificationURL != nil { record.due = now }
            file(record)
        }
    }

    /// The notifications of version 1 about an event: one, two, or none, as version 1 says less.
    private func version1(
        _ type: NotificationTypeV2, _ subtype: NotificationSubtype?, about transaction: StoredTransaction
    ) -> [NotificationTypeV1] {
        let isShared = transaction.payload.inAppOwnershipType == .familyShared
        switch type {
        case .subscribed, .offerRedeemed, .didChangeRenewalPref:
            return purchaseInVersion1(type, subtype, about: transaction, isShared: isShared)
        case .didChangeRenewalStatus: return [.didChangeRenewalStatus]
        case .didRenew: return [subtype == .billingRecovery ? .didRecover : .didRenew]
        case .didFailToRenew: return [.didFailToRenew]
        // Version 1 tells the end of the billing retry, and nothing of other ends.
        case .expired: return subtype == .billingRetry ? [.didChangeRenewalStatus] : []
        case .priceIncrease: return subtype == .pending && !isShared ? [.priceIncreaseConsent] : []
        case .refund where isShared: return []
        case .refund: return transaction.isSubscription ? [.cancel, .didChangeRenewalStatus] : [.refund]
        case .revoke: return [.revoke]
        case .consumptionRequest: return [.consumptionRequest]
        default: return []
        }
    }

    private func purchaseInVersion1(
        _ type: NotificationTypeV2, _ subtype: NotificationSubtype?, about transaction: StoredTransaction,
        isShared: Bool
    ) -> [NotificationTypeV1] {
        switch subtype {
        // Family members are told how it goes on, not that it began.
        case .initialBuy: return isShared ? [] : [.initialBuy]
        case .resubscribe:
            guard !isShared else { return [] }
            let isSame = productBefore(transaction) == transaction.payload.productId
            return isSame ? [.didChangeRenewalStatus] : [.interactiveRenewal, .didChangeRenewalStatus]
        case .upgrade: return [.didChangeRenewalStatus, .interactiveRenewal]
        case .downgrade: return [.didChangeRenewalPref]
        default: return type == .didChangeRenewalPref ? [.didChangeRenewalPref] : []
        }
    }

    /// The product of the period before this one.
    private func productBefore(_ transaction: StoredTransaction) -> String? {
        customers[transaction.customer]?.transactions.reversed().lazy.compactMap { transactions[$0]?.payload }
            .first {
                $0.originalTransactionId == transaction.payload.originalTransactionId
                    && $0.transactionId != transaction.payload.transactionId
            }?.productId
    }
}
