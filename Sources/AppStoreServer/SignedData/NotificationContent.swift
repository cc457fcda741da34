public import AppStoreModels
public import AppStoreTrust

/// What a notification is about, with everything that is signed inside it verified: see
/// ``SignedDataVerifier/content(of:)``.
@nonexhaustive
public enum NotificationContent: Sendable {
    /// A purchase, with the renewal information where it is a subscription.
    case purchase(Verified<JWSTransactionDecodedPayload>, renewal: Verified<JWSRenewalInfoDecodedPayload>?)
    /// A subscription of which the notification carries no transaction.
    case renewal(Verified<JWSRenewalInfoDecodedPayload>)
    /// How an extension for all subscribers ended.
    case summary(NotificationSummary)
    /// The token of a purchase outside the App Store.
    case externalPurchase(ExternalPurchaseToken)
    /// The app itself: a test, or consent that was withdrawn, with the app transaction that names the customer.
    case app(bundleID: String, Verified<AppTransaction>?)
    /// Something that is not known today. The payload has it.
    case unknown
}

extension SignedDataVerifier {
    /// Verifies what is signed inside a notification, which has a signature of its own.
    ///
    /// - Throws: ``VerificationError``, with code `wrong_app` or `wrong_environment` where a part is signed for another app or
    ///   environment than the whole.
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
    /// Proves what is signed inside a notification, and that it is signed for an app and an environment.
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
            try Self.require(bundleID, verified.payload.bundleId)
            try Self.require(environment, verified.payload.environment)
            transaction = verified
        }
        if let text = payload.data?.signedRenewalInfo {
            let verified = try await renewalInfo(text)
            try Self.require(environment, verified.payload.environment)
            renewal = verified
        }
        if let text = payload.appData?.signedAppTransactionInfo {
            let verified = try await appTransaction(text)
            try Self.require(bundleID, verified.payload.bundleId)
            try Self.require(environment, verified.payload.receiptType)
            app = verified
        }
        return (transaction, renewal, app)
    }

    private static func require(_ bundleID: String, _ part: String) throws(VerificationError) {
        guard part.isExactly(bundleID) else {
            throw VerificationError(.wrongApp, "a part is signed for another app than the whole")
        }
    }

    private static func require(
        _ environment: AppStoreEnvironment, _ part: AppStoreEnvironment
    ) throws(VerificationError) {
        guard part == environment else {
            throw VerificationError(.wrongEnvironment, "a part is signed for another environment than the whole")
        }
    }
}
