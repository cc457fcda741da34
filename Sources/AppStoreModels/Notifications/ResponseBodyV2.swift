public import Foundation

/// The body that the App Store posts to the developer's server. Apple's page: `responseBodyV2`.
public struct ResponseBodyV2: Sendable, Hashable, Codable {
    /// The JWS of a ``ResponseBodyV2DecodedPayload``.
    public var signedPayload: String

    /// Creates the value from its parts.
    public init(signedPayload: String) {
        self.signedPayload = signedPayload
    }
}

/// The payload of a notification. Apple's page: `responseBodyV2DecodedPayload`.
///
/// Exactly one of `data`, `summary`, `externalPurchaseToken` and `appData` is present; decoding does not enforce this.
public struct ResponseBodyV2DecodedPayload: Sendable, Hashable, Codable {
    /// The type of the notification.
    public var notificationType: NotificationTypeV2
    /// The subtype. Absent for many types.
    public var subtype: NotificationSubtype?
    /// The identifier of the notification. It is the same in every delivery attempt, so use it to recognize duplicates.
    /// Stored exactly as received.
    public var notificationUUID: String
    /// The version of the format, `2.0`.
    public var version: String
    /// When Apple signed the payload.
    public var signedDate: Date
    /// The app and the purchase that the notification is about.
    public var data: NotificationData?
    /// The result of extending renewal dates for all subscribers: `RENEWAL_EXTENSION` with `SUMMARY`.
    public var summary: NotificationSummary?
    /// The token that the notification is about: `EXTERNAL_PURCHASE_TOKEN`.
    public var externalPurchaseToken: ExternalPurchaseToken?
    /// The app that the notification is about: `RESCIND_CONSENT`.
    public var appData: AppData?

    /// Creates the value from its parts.
    public init(
        notificationType: NotificationTypeV2, subtype: NotificationSubtype? = nil, notificationUUID: String,
        version: String, signedDate: Date, data: NotificationData? = nil, summary: NotificationSummary? = nil,
        externalPurchaseToken: ExternalPurchaseToken? = nil, appData: AppData? = nil
    ) {
        self.notificationType = notificationType
        self.subtype = subtype
        self.notificationUUID = notificationUUID
        self.version = version
        self.signedDate = signedDate
        self.data = data
        self.summary = summary
        self.externalPurchaseToken = externalPurchaseToken
        self.appData = appData
    }
}
