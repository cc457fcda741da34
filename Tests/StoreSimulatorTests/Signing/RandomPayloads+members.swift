import AppStoreModels

extension RandomPayloads {
    mutating func transaction() -> JWSTransactionDecodedPayload {
        JWSTransactionDecodedPayload(
            transactionId: text(),
            originalTransactionId: text(),
            previousOriginalTransactionId: maybe { $0.text() },
            webOrderLineItemId: maybe { $0.text() },
            bundleId: text(),
            productId: text(),
            subscriptionGroupIdentifier: maybe { $0.text() },
            purchaseDate: date(),
            originalPurchaseDate: date(),
            expiresDate: maybe { $0.date() },
            quantity: small(),
            type: open(),
            appAccountToken: maybe { $0.uuid() },
            inAppOwnershipType: open(),
            signedDate: date(),
            revocationReason: maybe { $0.open() },
            revocationDate: maybe { $0.date() },
            revocationType: maybe { $0.open() },
            revocationPercentage: maybe { $0.small() },
            isUpgraded: maybe { $0.flag() },
            offerType: maybe { $0.open() },
            offerIdentifier: maybe { $0.text() },
            offerDiscountType: maybe { $0.open() },
            offerPeriod: maybe { $0.text() },
            environment: open(),
            storefront: maybe { $0.text() },
            storefrontId: maybe { $0.text() },
            transactionReason: maybe { $0.open() },
            currency: maybe { $0.text() },
            price: maybe { $0.large() },
            appTransactionId: maybe { $0.text() },
            advancedCommerceInfo: maybe { $0.advancedTransaction() },
            billingPlanType: maybe { $0.open() },
            commitmentInfo: maybe { $0.commitment() })
    }

    mutating func renewal() -> JWSRenewalInfoDecodedPayload {
        JWSRenewalInfoDecodedPayload(
            originalTransactionId: text(),
            productId: text(),
            autoRenewProductId: text(),
            autoRenewStatus: open(),
            expirationIntent: maybe { $0.open() },
            isInBillingRetryPeriod: maybe { $0.flag() },
            gracePeriodExpiresDate: maybe { $0.date() },
            priceIncreaseStatus: maybe { $0.open() },
            offerType: maybe { $0.open() },
            offerIdentifier: maybe { $0.text() },
            offerDiscountType: maybe { $0.open() },
            offerPeriod: maybe { $0.text() },
            eligibleWinBackOfferIds: maybe { $0.texts() },
            renewalDate: maybe { $0.date() },
            renewalPrice: maybe { $0.large() },
            currency: maybe { $0.text() },
            recentSubscriptionStartDate: maybe { $0.date() },
            appAccountToken: maybe { $0.uuid() },
            appTransactionId: maybe { $0.text() },
            environment: open(),
            signedDate: date(),
            advancedCommerceInfo: maybe { $0.advancedRenewal() },
            commitmentInfo: maybe { $0.renewalCommitment() },
            renewalBillingPlanType: maybe { $0.open() })
    }

    mutating func appTransaction() -> AppTransaction {
        AppTransaction(
            receiptType: open(),
            appAppleId: maybe { $0.large() },
            bundleId: text(),
            applicationVersion: maybe { $0.text() },
            versionExternalIdentifier: maybe { $0.large() },
            receiptCreationDate: date(),
            originalPurchaseDate: date(),
            originalApplicationVersion: text(),
            deviceVerification: maybe { $0.text() },
            deviceVerificationNonce: maybe { $0.uuid() },
            preorderDate: maybe { $0.date() },
            appTransactionId: maybe { $0.text() },
            originalPlatform: maybe { $0.open() },
            storeType: maybe { $0.open() },
            requestDate: maybe { $0.date() })
    }

    mutating func notification() -> ResponseBodyV2DecodedPayload {
        ResponseBodyV2DecodedPayload(
            notificationType: open(),
            subtype: maybe { $0.open() },
            notificationUUID: text(),
            version: text(),
            signedDate: date(),
            data: maybe { $0.data() },
            summary: maybe { $0.summary() },
            externalPurchaseToken: maybe { $0.token() },
            appData: maybe { $0.appData() })
    }

    mutating func commitment() -> TransactionCommitmentInfo {
        TransactionCommitmentInfo(
            billingPeriodNumber: maybe { $0.small() },
            commitmentExpiresDate: maybe { $0.date() },
            commitmentPrice: maybe { $0.large() },
            totalBillingPeriods: maybe { $0.small() })
    }

    mutating func renewalCommitment() -> RenewalCommitmentInfo {
        RenewalCommitmentInfo(
            commitmentAutoRenewProductId: maybe { $0.text() },
            commitmentAutoRenewStatus: maybe { $0.open() },
            commitmentRenewalBillingPlanType: maybe { $0.open() },
            commitmentRenewalDate: maybe { $0.date() },
            commitmentRenewalPrice: maybe { $0.large() })
    }

    mutating func data() -> NotificationData {
        NotificationData(
            environment: open(),
            appAppleId: maybe { $0.large() },
            bundleId: text(),
            bundleVersion: maybe { $0.text() },
            signedTransactionInfo: maybe { $0.text() },
            signedRenewalInfo: maybe { $0.text() },
            status: maybe { $0.open() },
            consumptionRequestReason: maybe { $0.open() })
    }

    mutating func summary() -> NotificationSummary {
        NotificationSummary(
            requestIdentifier: text(),
            environment: open(),
            appAppleId: maybe { $0.large() },
            bundleId: text(),
            productId: text(),
            storefrontCountryCodes: maybe { $0.texts() },
            succeededCount: large(),
            failedCount: large())
    }

    mutating func token() -> ExternalPurchaseToken {
        ExternalPurchaseToken(
            externalPurchaseId: text(),
            tokenCreationDate: date(),
            appAppleId: large(),
            bundleId: text(),
            tokenExpirationDate: maybe { $0.date() },
            tokenType: maybe { $0.open() })
    }

    mutating func appData() -> AppData {
        AppData(
            appAppleId: maybe { $0.large() },
            bundleId: text(),
            environment: open(),
            signedAppTransactionInfo: text())
    }

    mutating func advancedTransaction() -> AdvancedCommerceTransactionInfo {
        AdvancedCommerceTransactionInfo(
            estimatedTax: maybe { $0.large() },
            requestReferenceId: maybe { $0.text() },
            taxCode: maybe { $0.text() },
            taxExclusivePrice: maybe { $0.large() },
            taxRate: maybe { $0.text() })
    }

    mutating func advancedRenewal() -> AdvancedCommerceRenewalInfo {
        AdvancedCommerceRenewalInfo(
            consistencyToken: maybe { $0.text() },
            requestReferenceId: maybe { $0.text() },
            taxCode: maybe { $0.text() })
    }
}
