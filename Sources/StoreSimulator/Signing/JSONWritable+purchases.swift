package import AppStoreModels
package import AppStoreServer
package import Basics

// The members are in the order of their names, which is the order on the wire.

extension JWSTransactionDecodedPayload: JSONMembersWritable {
    package func writeMembers(to json: inout JSONWriter) throws(SigningError) {
        try json.member("advancedCommerceInfo", encoding: advancedCommerceInfo)
        json.member("appAccountToken", appAccountToken)
        json.member("appTransactionId", appTransactionId)
        json.member("billingPlanType", billingPlanType)
        json.member("bundleId", bundleId)
        try json.member("commitmentInfo", encoding: commitmentInfo)
        json.member("currency", currency)
        json.member("environment", environment)
        try json.member("expiresDate", expiresDate)
        json.member("inAppOwnershipType", inAppOwnershipType)
        json.member("isUpgraded", isUpgraded)
        json.member("offerDiscountType", offerDiscountType)
        json.member("offerIdentifier", offerIdentifier)
        json.member("offerPeriod", offerPeriod)
        json.member("offerType", offerType)
        try json.member("originalPurchaseDate", originalPurchaseDate)
        json.member("originalTransactionId", originalTransactionId)
        json.member("previousOriginalTransactionId", previousOriginalTransactionId)
        json.member("price", price)
        json.member("productId", productId)
        try json.member("purchaseDate", purchaseDate)
        json.member("quantity", quantity)
        try json.member("revocationDate", revocationDate)
        json.member("revocationPercentage", revocationPercentage)
        json.member("revocationReason", revocationReason)
        json.member("revocationType", revocationType)
        try json.member("signedDate", signedDate)
        json.member("storefront", storefront)
        json.member("storefrontId", storefrontId)
        json.member("subscriptionGroupIdentifier", subscriptionGroupIdentifier)
        json.member("transactionId", transactionId)
        json.member("transactionReason", transactionReason)
        json.member("type", type)
        json.member("webOrderLineItemId", webOrderLineItemId)
    }
}

extension JWSRenewalInfoDecodedPayload: JSONMembersWritable {
    package func writeMembers(to json: inout JSONWriter) throws(SigningError) {
        try json.member("advancedCommerceInfo", encoding: advancedCommerceInfo)
        json.member("appAccountToken", appAccountToken)
        json.member("appTransactionId", appTransactionId)
        json.member("autoRenewProductId", autoRenewProductId)
        json.member("autoRenewStatus", autoRenewStatus)
        try json.member("commitmentInfo", encoding: commitmentInfo)
        json.member("currency", currency)
        json.member("eligibleWinBackOfferIds", eligibleWinBackOfferIds)
        json.member("environment", environment)
        json.member("expirationIntent", expirationIntent)
        try json.member("gracePeriodExpiresDate", gracePeriodExpiresDate)
        json.member("isInBillingRetryPeriod", isInBillingRetryPeriod)
        json.member("offerDiscountType", offerDiscountType)
        json.member("offerIdentifier", offerIdentifier)
        json.member("offerPeriod", offerPeriod)
        json.member("offerType", offerType)
        json.member("originalTransactionId", originalTransactionId)
        json.member("priceIncreaseStatus", priceIncreaseStatus)
        json.member("productId", productId)
        try json.member("recentSubscriptionStartDate", recentSubscriptionStartDate)
        json.member("renewalBillingPlanType", renewalBillingPlanType)
        try json.member("renewalDate", renewalDate)
        json.member("renewalPrice", renewalPrice)
        try json.member("signedDate", signedDate)
    }
}

extension AppTransaction: JSONWritable {}
extension DecodedRealtimeRequestBody: JSONWritable {}
