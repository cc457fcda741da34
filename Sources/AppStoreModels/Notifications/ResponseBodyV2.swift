public import Foundation

/// The body the App Store posts to the developer's server. Apple's page: `responseBodyV2`.
public struct ResponseBodyV2: Sendable, Hashable, Codable {
    /// The JWS of a ``ResponseBodyV2DecodedPayload``.
    public var signedPayload: String

    /// Creates the value from its parts.
    public init(signedPayload: String) {
        self.signedPayload = signedPayload
    }
}

/// What a notification says. Apple's page: `responseBodyV2DecodedPayload`.
///
/// Exactly one of `data`, `summary`, `externalPurchaseToken` and `appData` is there; decoding does not insist on it.
public struct ResponseBodyV2DecodedPayload: Sendable, Hashable, Codable {
    /// What it is about.
    public var notificationType: NotificationTypeV2
    /// What more there is to say. Absent for many types.
    public var subtype: NotificationSubtype?
    /// The notification: the same in every attempt to deliver it, so it is the key to tell duplicates by. Kept as the
    /// text that came.
    public var notificationUUID: String
    /// The version of the format, `2.0`.
    public var version: String
    /// When Apple signed this.
    public var signedDate: Date
    /// The app and the purchase it is about.
    public var data: NotificationData?
    /// How an extension for all subscribers ended: `RENEWAL_EXTENSION` with `SUMMARY`.
    public var summary: NotificationSummary?
    /// The token it is about: `EXTERNAL_PURCHASE_TOKEN`.
    public var externalPurchaseToken: ExternalPurchaseToken?
    /// The app it is about: `RESCIND_CONSENT`.
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
