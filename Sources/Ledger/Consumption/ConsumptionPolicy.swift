public import AppStoreModels

/// The default values for answers to the App Store's consumption requests. Usage reports of the app override them.
///
/// The consumption percentage comes only from usage reports.
public struct ConsumptionPolicy: Sendable, Hashable {
    /// Whether customers agree, by the app's terms, that the information is sent. Nothing is sent without consent of
    /// the policy or the customer. Default: false.
    public var defaultConsent: Bool

    /// The decision that the developer prefers; nil to send no preference. Default: nil.
    public var refundPreference: RefundPreference?

    /// Whether the product was delivered. Default: `delivered`.
    public var deliveryStatus: DeliveryStatus

    /// Whether customers could try the content before buying. Default: false.
    public var sampleContentProvided: Bool

    /// Creates a policy.
    public init(
        defaultConsent: Bool = false, refundPreference: RefundPreference? = nil,
        deliveryStatus: DeliveryStatus = .delivered, sampleContentProvided: Bool = false
    ) {
        self.defaultConsent = defaultConsent
        self.refundPreference = refundPreference
        self.deliveryStatus = deliveryStatus
        self.sampleContentProvided = sampleContentProvided
    }
}
