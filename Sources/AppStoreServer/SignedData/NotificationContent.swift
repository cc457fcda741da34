public import AppStoreModels
public import AppStoreTrust

/// The subject of a notification. All signed data inside are verified: see ``SignedDataVerifier/content(of:)``.
@nonexhaustive
public enum NotificationContent: Sendable, Hashable {
    /// A purchase, with the renewal information if it is a subscription.
    case purchase(Verified<JWSTransactionDecodedPayload>, renewal: Verified<JWSRenewalInfoDecodedPayload>?)
    /// A subscription for which the notification contains no transaction.
    case renewal(Verified<JWSRenewalInfoDecodedPayload>)
    /// The result of extending the subscriptions of all active subscribers.
    case summary(NotificationSummary)
    /// The token of a purchase outside the App Store.
    case externalPurchase(ExternalPurchaseToken)
    /// The app itself: a test, or withdrawn consent, with the app transaction that identifies the customer.
    case app(bundleID: String, Verified<AppTransaction>?)
    /// A subject that this version does not know. The payload contains it.
    case unknown
}

extension SignedDataVerifier {
    /// Verifies the signed data inside a notification. They have their own signatures.
    ///
    /// - Throws: ``VerificationError``; with code `wrong_app` or `wrong_environment` if a part is signed for another
    ///   app or environment than the notification.
    public func content(
        of notification: Verified<ResponseBodyV2DecodedPayload>
    ) async throws(VerificationError) -> NotificationContent {
        let payload = notification.payload
        if let data = payload.data {
            let parts = try await parts(inside: payload, of: data.bundleId, data.environment)
            if let transaction = parts.transaction { return .purchase(transaction, renewal: parts.renewal) }
            if let renewal = parts.renewal { return .renewal(renewal) }
            return .app(bundleID: data.bundleId, nil)
        }
        if let summary = payload.summary { return .summary(summary) }
        if let token = payload.externalPurchaseToken { return .externalPurchase(token) }
        if let data = payload.appData {
            let parts = try await parts(inside: payload, of: data.bundleId, data.environment)
            return .app(bundleID: data.bundleId, parts.appTransaction)
        }
        return .unknown
    }
}

extension SignedDataVerifier {
    /// Verifies the signed data inside a notification, and that they are signed for the given app and environment.
    package func parts(
        inside payload: ResponseBodyV2DecodedPayload, of bundleID: String, _ environment: AppStoreEnvironment
    ) async throws(VerificationError) -> (
        transaction: Verified<JWSTransactionDecodedPayload>?, renewal: Verified<JWSRenewalInfoDecodedPayload>?,
        appTransaction: Verified<AppTransaction>?
    ) {
        var transaction: Verified<JWSTransactionDecodedPayload>?
        var renewal: Verified<JWSRenewalInfoDecodedPayload>?
        var app: Verified<AppTransaction>?
        if let text = payload.data?.signedTransactionInfo {
            let verified = try await self.transaction(text)
            try Self.requirePart(of: bundleID, environment, verified.payload.bundleId, verified.payload.environment)
            transaction = verified
        }
        if let text = payload.data?.signedRenewalInfo {
            let verified = try await renewalInfo(text)
            try Self.requirePart(of: bundleID, environment, bundleID, verified.payload.environment)
            renewal = verified
        }
        if let text = payload.appData?.signedAppTransactionInfo {
            let verified = try await appTransaction(text)
            try Self.requirePart(of: bundleID, environment, verified.payload.bundleId, verified.payload.receiptType)
            app = verified
        }
        return (transaction, renewal, app)
    }

    /// Throws unless a part of a notification about an app and environment is signed for the same ones.
    package static func requirePart(
        of bundleID: String, _ environment: AppStoreEnvironment, _ signedBundleID: String,
        _ signedEnvironment: AppStoreEnvironment
    ) throws(VerificationError) {
        guard signedBundleID.isExactly(bundleID) else {
            throw VerificationError(.wrongApp, "a part of the notification is signed for another app")
        }
        guard signedEnvironment == environment else {
            throw VerificationError(.wrongEnvironment, "a part of the notification is signed for another environment")
        }
    }
}
