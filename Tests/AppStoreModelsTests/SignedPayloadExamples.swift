import AppStoreModels

/// One example of each signed payload, with every documented field.
enum SignedPayloadExamples {
    static let all = [transaction, renewal, appTransaction, data, summary, token, appData, realtime, header]

    static let transaction = Example(
        JWSTransactionDecodedPayload.self,
        """
        {"transactionId": "2", "originalTransactionId": "1", "previousOriginalTransactionId": "0",
        "webOrderLineItemId": "3", "bundleId": "com.example", "productId": "com.example.pro",
        "subscriptionGroupIdentifier": "4", "purchaseDate": 1700000000001, "originalPurchaseDate": 1700000000002,
        "expiresDate": 1700000000003, "quantity": 2, "type": "Auto-Renewable Subscription",
        "appAccountToken": "7e3fb20b-4cdb-47cc-936d-99d65f608138", "inAppOwnershipType": "ASSIGNED",
        "signedDate": 1700000000004, "revocationReason": 1, "revocationDate": 1700000000005,
        "revocationType": "REFUND_PRORATED", "revocationPercentage": 50000, "isUpgraded": true, "offerType": 3,
        "offerIdentifier": "code", "offerDiscountType": "PAY_UP_FRONT", "offerPeriod": "P2M", "environment": "Sandbox",
        "storefront": "USA", "storefrontId": "143441", "transactionReason": "PURCHASE", "currency": "USD",
        "price": 9999999990, "appTransactionId": "5", "billingPlanType": "MONTHLY",
        "commitmentInfo": {"billingPeriodNumber": 3, "commitmentExpiresDate": 1700000000006, "commitmentPrice": 119880,
        "totalBillingPeriods": 12},
        "advancedCommerceInfo": {"descriptors": {"description": "d", "displayName": "n"}, "estimatedTax": 100,
        "period": "P1M", "requestReferenceId": "r", "taxCode": "C003-00-2", "taxExclusivePrice": 900, "taxRate": "0.15",
        "items": [{"SKU": "s", "description": "d", "displayName": "n", "price": 1000, "revocationDate": 1700000000007,
        "offer": {"period": "P3D", "periodCount": 1, "price": 0, "reason": "ACQUISITION"},
        "refunds": [{"refundAmount": 500, "refundDate": 1700000000008, "refundReason": "MODIFY_ITEMS_REFUND",
        "refundType": "CUSTOM"}]}]}}
        """)

    static let renewal = Example(
        JWSRenewalInfoDecodedPayload.self,
        """
        {"originalTransactionId": "1", "productId": "a", "autoRenewProductId": "b", "autoRenewStatus": 1,
        "expirationIntent": 5, "isInBillingRetryPeriod": false, "gracePeriodExpiresDate": 1, "priceIncreaseStatus": 0,
        "offerType": 4, "offerIdentifier": "o", "offerDiscountType": "ONE_TIME", "offerPeriod": "P1W",
        "eligibleWinBackOfferIds": ["x", "y"], "renewalDate": 2, "renewalPrice": 1990, "currency": "EUR",
        "recentSubscriptionStartDate": 3, "appAccountToken": "7e3fb20b-4cdb-47cc-936d-99d65f608138",
        "appTransactionId": "5", "environment": "Production", "signedDate": 4,
        "commitmentInfo": {"commitmentAutoRenewProductId": "c", "commitmentAutoRenewStatus": 0,
        "commitmentRenewalBillingPlanType": "MONTHLY", "commitmentRenewalDate": 5, "commitmentRenewalPrice": 6},
        "renewalBillingPlanType": "BILLED_UPFRONT",
        "advancedCommerceInfo": {"consistencyToken": "t", "descriptors": {"description": "d", "displayName": "n"},
        "period": "P1Y", "requestReferenceId": "r", "taxCode": "C",
        "items": [{"SKU": "s", "description": "d", "displayName": "n", "price": 1,
        "offer": {"period": "P9M", "periodCount": 12, "price": 1, "reason": "WIN_BACK"},
        "priceIncreaseInfo": {"dependentSKUs": ["q"], "price": 2, "status": "SCHEDULED"}}]}}
        """)

    static let appTransaction = Example(
        AppTransaction.self,
        """
        {"receiptType": "Production", "appAppleId": 1, "bundleId": "b", "applicationVersion": "2",
        "versionExternalIdentifier": 3, "receiptCreationDate": 4, "originalPurchaseDate": -62135769600000,
        "originalApplicationVersion": "1", "deviceVerification": "QUJD",
        "deviceVerificationNonce": "48c8b92d-ce0d-4229-bedf-e61b4f9cfc92", "preorderDate": 5, "appTransactionId": "6",
        "originalPlatform": "visionOS", "storeType": "CONSUMER", "requestDate": 7}
        """)

    static let data = Example(
        ResponseBodyV2DecodedPayload.self,
        """
        {"notificationType": "CONSUMPTION_REQUEST", "subtype": "INITIAL_BUY", "notificationUUID": "A-b", "version": "2.0",
        "signedDate": 1, "data": {"environment": "Production", "appAppleId": 1, "bundleId": "b", "bundleVersion": "2",
        "signedTransactionInfo": "t", "signedRenewalInfo": "r", "status": 4, "consumptionRequestReason": "LEGAL"}}
        """)

    static let summary = Example(
        ResponseBodyV2DecodedPayload.self,
        """
        {"notificationType": "RENEWAL_EXTENSION", "subtype": "SUMMARY", "notificationUUID": "u", "version": "2.0",
        "signedDate": 1, "summary": {"requestIdentifier": "R", "environment": "Production", "appAppleId": 1,
        "bundleId": "b", "productId": "p", "storefrontCountryCodes": ["USA"], "succeededCount": 5, "failedCount": 2}}
        """)

    static let token = Example(
        ResponseBodyV2DecodedPayload.self,
        """
        {"notificationType": "EXTERNAL_PURCHASE_TOKEN", "subtype": "ACTIVE_TOKEN_REMINDER", "notificationUUID": "u",
        "version": "2.0", "signedDate": 1, "externalPurchaseToken": {"externalPurchaseId": "SANDBOX_1",
        "tokenCreationDate": 2, "appAppleId": 3, "bundleId": "b", "tokenExpirationDate": 4, "tokenType": "SERVICES"}}
        """)

    static let appData = Example(
        ResponseBodyV2DecodedPayload.self,
        """
        {"notificationType": "RESCIND_CONSENT", "notificationUUID": "u", "version": "2.0", "signedDate": 1,
        "appData": {"appAppleId": 1, "bundleId": "b", "environment": "Sandbox", "signedAppTransactionInfo": "a"}}
        """)

    static let realtime = Example(
        DecodedRealtimeRequestBody.self,
        """
        {"originalTransactionId": "1", "appAppleId": 2, "productId": "p", "userLocale": "en-US",
        "requestIdentifier": "48c8b92d-ce0d-4229-bedf-e61b4f9cfc92", "environment": "Production", "signedDate": 1}
        """)

    static let header = Example(
        JWSDecodedHeader.self, #"{"alg": "ES256", "x5c": ["a", "b", "c"], "typ": "JWT", "kid": "k"}"#)
}
