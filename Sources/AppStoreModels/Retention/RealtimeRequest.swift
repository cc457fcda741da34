public import Foundation

/// The body that the App Store posts to request a retention message. Apple's page: `RealtimeRequestBody`.
public struct RealtimeRequestBody: Sendable, Hashable, Codable {
    /// The JWS of a ``DecodedRealtimeRequestBody``.
    public var signedPayload: String

    /// Creates the value from its parts.
    public init(signedPayload: String) {
        self.signedPayload = signedPayload
    }
}

/// A request for a retention message. Respond within 700 ms. Apple's page: `DecodedRealtimeRequestBody`.
///
/// It identifies the app only by its Apple ID.
public struct DecodedRealtimeRequestBody: Sendable, Hashable, Codable {
    /// The original transaction of the subscription that the customer is about to cancel.
    public var originalTransactionId: String
    /// The app's Apple ID.
    public var appAppleId: Int64
    /// The product identifier.
    public var productId: String
    /// The language of the device, such as `en-US`.
    public var userLocale: String
    /// The identifier of the request.
    public var requestIdentifier: UUID
    /// The environment.
    public var environment: AppStoreEnvironment
    /// When Apple signed the payload.
    public var signedDate: Date

    /// Creates the value from its parts.
    public init(
        originalTransactionId: String, appAppleId: Int64, productId: String, userLocale: String,
        requestIdentifier: UUID, environment: AppStoreEnvironment, signedDate: Date
    ) {
        self.originalTransactionId = originalTransactionId
        self.appAppleId = appAppleId
        self.productId = productId
        self.userLocale = userLocale
        self.requestIdentifier = requestIdentifier
        self.environment = environment
        self.signedDate = signedDate
    }
}
