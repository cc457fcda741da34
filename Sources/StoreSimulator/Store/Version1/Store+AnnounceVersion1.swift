internal import AppStoreModels
internal import Foundation

// Notifications of version 1.

extension Store {
    /// Announces in version 1 the event that version 2 announces as `type` and `subtype`.
    ///
    /// It consumes as many identifiers and signing dates as version 2 does. The same commands therefore result in the
    /// same purchases in both versions.
    mutating func announceVersion1(
        _ type: NotificationTypeV2, _ subtype: NotificationSubtype?, about transaction: StoredTransaction, at now: Date
    ) {
        let (signed, first) = (advanceSigningDate(at: now), identifiers.version4())
        let payload = transaction.payload
        for (index, type) in version1(type, subtype, about: transaction).enumerated() {
            // The identifier is internal: version 1 has none.
            let id = index == 0 ? first : Self.derivedUUID(first.text, "\(index)")
            addNotification(
                NotificationRecord(
                    id: id, type: NotificationTypeV2(rawValue: type.rawValue), subtype: nil, date: now,
                    signedDate: signed,
                    content: .version1(
                        .init(
                            type: type, transactionID: payload.transactionId,
                            originalTransactionID: payload.originalTransactionId, productID: payload.productId)),
                    customer: transaction.customer, testToken: nil,
                    due: settings.notificationURL == nil ? nil : now, appAppleID: nil))
        }
    }

    /// Returns the version 1 notifications of an event: one, two or none, as version 1 covers fewer events.
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
        // Version 1 announces the end of billing retry, but no other expiration.
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
        // For family members, renewals and changes are announced, but not the beginning.
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

    /// Returns the product of the previous period.
    private func productBefore(_ transaction: StoredTransaction) -> String? {
        customers[transaction.customer]?.transactions.reversed().lazy.compactMap { transactions[$0]?.payload }
            .first {
                $0.originalTransactionId == transaction.payload.originalTransactionId
                    && $0.transactionId != transaction.payload.transactionId
            }?.productId
    }
}
