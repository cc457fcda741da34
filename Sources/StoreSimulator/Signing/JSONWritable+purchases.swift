package import AppStoreModels
package import AppStoreServer
package import Basics

// The members are in the order of their names, which is the order on the wire.

extension JWSTransactionDecodedPayload: JSONWritable {
    package func writeMembers(to json: inout JSONWriter) throws(SigningError) {
        try json.member("advancedCommerceInfo", encoding: advancedCommerceInfo)
        json.member("appAccountToken", appAccountToken)
        json.member("appTransactionId", appTransactionId)
        json.member("billingPlanType", billingPlanType)
        json.member("bundleId", bundleId)
        try json.member("commitmentInfo", object: commitmentInfo)
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

extension TransactionCommitmentInfo: JSONWritable {
    package func writeMembers(to json: inout JSONWriter) throws(SigningError) {
        json.member("billingPeriodNumber", billingPeriodNumber)
        try json.member("commitmentExpiresDate", commitmentExpiresDate)
        json.member("commitmentPrice", commitmentPrice)
        json.member("totalBillingPeriods", totalBillingPeriods)
    }
}

extension JWSRenewalInfoDecodedPayload: JSONWritable {
    package func writeMembers(to json: inout JSONWriter) throws(SigningError) {
        try json.member("advancedCommerceInfo", encoding: advancedCommerceInfo)
        json.member("appAccountToken", appAccountToken)
        json.member("appTransactionId", appTransactionId)
        json.member("autoRenewProductId", autoRenewProductId)
        json.member("autoRenewStatus", autoRenewStatus)
        try json.member("commitmentInfo", object: commitmentInfo)
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

extension RenewalCommitmentInfo: JSONWritable {
    package func writeMembers(to json: inout JSONWriter) throws(SigningError) {
        json.member("commitmentAutoRenewProductId", commitmentAutoRenewProductId)
        json.member("commitmentAutoRenewStatus", commitmentAutoRenewStatus)
        json.member("commitmentRenewalBillingPlanType", commitmentRenewalBillingPlanType)
        try json.member("commitmentRenewalDate", commitmentRenewalDate)
        json.member("commitmentRenewalPrice", commitmentRenewalPrice)
    }
}

extension AppTransaction: JSONWritable {
    package func writeMembers(to json: inout JSONWriter) throws(SigningError) {
        json.member("appAppleId", appAppleId)
        json.member("appTransactionId", appTransactionId)
        json.member("applicationVersion", applicationVersion)
        json.member("bundleId", bundleId)
        json.member("deviceVerification", deviceVerification)
        json.member("deviceVerificationNonce", deviceVerificationNonce)
        json.member("originalApplicationVersion", originalApplicationVersion)
        json.member("originalPlatform", originalPlatform)
        try json.member("originalPurchaseDate", originalPurchaseDate)
        try json.member("preorderDate", preorderDate)
        try json.member("receiptCreationDate", receiptCreationDate)
        json.member("receiptType", receiptType)
        try json.member("requestDate", requestDate)
        json.member("storeType", storeType)
        json.member("versionExternalIdentifier", versionExternalIdentifier)
    }
}
