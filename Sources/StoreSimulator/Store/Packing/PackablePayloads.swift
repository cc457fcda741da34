package import AppStoreModels

/// The properties that payloads with largely equal fields have in common.
package struct PayloadKind: Hashable, Sendable {
    let bundleId: String?
    let productId: String
    let environment: AppStoreEnvironment
    let storefront: String?
    let reason: TransactionReason?
    let ownership: InAppOwnershipType?
}

extension JWSTransactionDecodedPayload: PackablePayload {
    package static let templates = PayloadTemplates<Self>()
    package static func templates(in snapshot: SnapshotTemplates) -> [PayloadTemplate<Self>] { snapshot.transactions }

    package var kind: PayloadKind {
        PayloadKind(
            bundleId: bundleId, productId: productId, environment: environment, storefront: storefront,
            reason: transactionReason, ownership: inAppOwnershipType)
    }

    package var isPackable: Bool { advancedCommerceInfo == nil && commitmentInfo == nil }

    package mutating func pack(_ fields: inout PackedFields, _ template: Self) {
        fields.field(&transactionId, template.transactionId)
        fields.field(&originalTransactionId, template.originalTransactionId)
        fields.field(&previousOriginalTransactionId, template.previousOriginalTransactionId)
        fields.field(&webOrderLineItemId, template.webOrderLineItemId)
        fields.field(&bundleId, template.bundleId)
        fields.field(&productId, template.productId)
        fields.field(&subscriptionGroupIdentifier, template.subscriptionGroupIdentifier)
        fields.field(&purchaseDate, template.purchaseDate)
        fields.field(&originalPurchaseDate, template.originalPurchaseDate)
        fields.field(&expiresDate, template.expiresDate)
        fields.field(&quantity, template.quantity)
        fields.field(&type, template.type)
        fields.field(&appAccountToken, template.appAccountToken)
        fields.field(&inAppOwnershipType, template.inAppOwnershipType)
        fields.field(&signedDate, template.signedDate)
        fields.field(&revocationReason, template.revocationReason)
        fields.field(&revocationDate, template.revocationDate)
        fields.field(&revocationType, template.revocationType)
        fields.field(&revocationPercentage, template.revocationPercentage)
        fields.field(&isUpgraded, template.isUpgraded)
        fields.field(&offerType, template.offerType)
        fields.field(&offerIdentifier, template.offerIdentifier)
        fields.field(&offerDiscountType, template.offerDiscountType)
        fields.field(&offerPeriod, template.offerPeriod)
        fields.field(&environment, template.environment)
        fields.field(&storefront, template.storefront)
        fields.field(&storefrontId, template.storefrontId)
        fields.field(&transactionReason, template.transactionReason)
        fields.field(&currency, template.currency)
        fields.field(&price, template.price)
        fields.field(&appTransactionId, template.appTransactionId)
        fields.field(&billingPlanType, template.billingPlanType)
    }
}

extension JWSRenewalInfoDecodedPayload: PackablePayload {
    package static let templates = PayloadTemplates<Self>()
    package static func templates(in snapshot: SnapshotTemplates) -> [PayloadTemplate<Self>] { snapshot.renewalInfos }

    package var kind: PayloadKind {
        PayloadKind(
            bundleId: nil, productId: productId, environment: environment, storefront: currency, reason: nil,
            ownership: nil)
    }

    package var isPackable: Bool {
        eligibleWinBackOfferIds == nil && advancedCommerceInfo == nil && commitmentInfo == nil
    }

    package mutating func pack(_ fields: inout PackedFields, _ template: Self) {
        fields.field(&originalTransactionId, template.originalTransactionId)
        fields.field(&productId, template.productId)
        fields.field(&autoRenewProductId, template.autoRenewProductId)
        fields.field(&autoRenewStatus, template.autoRenewStatus)
        fields.field(&expirationIntent, template.expirationIntent)
        fields.field(&isInBillingRetryPeriod, template.isInBillingRetryPeriod)
        fields.field(&gracePeriodExpiresDate, template.gracePeriodExpiresDate)
        fields.field(&priceIncreaseStatus, template.priceIncreaseStatus)
        fields.field(&offerType, template.offerType)
        fields.field(&offerIdentifier, template.offerIdentifier)
        fields.field(&offerDiscountType, template.offerDiscountType)
        fields.field(&offerPeriod, template.offerPeriod)
        fields.field(&renewalDate, template.renewalDate)
        fields.field(&renewalPrice, template.renewalPrice)
        fields.field(&currency, template.currency)
        fields.field(&recentSubscriptionStartDate, template.recentSubscriptionStartDate)
        fields.field(&appAccountToken, template.appAccountToken)
        fields.field(&appTransactionId, template.appTransactionId)
        fields.field(&environment, template.environment)
        fields.field(&signedDate, template.signedDate)
        fields.field(&renewalBillingPlanType, template.renewalBillingPlanType)
    }
}
