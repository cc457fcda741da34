public import Foundation

/// The body the App Store posts to ask for a retention message. Apple's page: `RealtimeRequestBody`.
public struct RealtimeRequestBody: Sendable, Hashable, Codable {
    /// The JWS of a ``DecodedRealtimeRequestBody``.
    public var signedPayload: String

    /// Creates the value from its parts.
    public init(signedPayload: String) {
        self.signedPayload = signedPayload
    }
}

/// A question for a retention message, to be answered within 700 ms. Apple's page: `DecodedRealtimeRequestBody`.
///
/// It names the app by its number only.
public struct DecodedRealtimeRequestBody: Sendable, Hashable, Codable {
    /// The subscription that the customer is about to cancel.
    public var originalTransactionId: String
    /// The app's number.
    public var appAppleId: Int64
    /// The product.
    public var productId: String
    /// The language of the device, such as `en-US`.
    public var userLocale: String
    /// This question.
    public var requestIdentifier: UUID
    /// The environment.
    public var environment: AppStoreEnvironment
    /// When Apple signed this.
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
