public import AppStoreModels

/// How the App Store's questions before a refund are answered, where the app has not told more about the customer.
///
/// How much was used comes from what the app reports, never from here.
public struct ConsumptionPolicy: Sendable, Hashable {
    /// Whether customers have agreed, in the app's terms, that this is sent. Without consent, of the policy or of the
    /// customer, nothing is sent. Default: false.
    public var defaultConsent: Bool

    /// What the developer would like the App Store to decide; nil says nothing about it. Default: nil.
    public var refundPreference: RefundPreference?

    /// Whether the product was delivered. Default: it was.
    public var deliveryStatus: DeliveryStatus

    /// Whether customers could try before buying. Default: false.
    public var sampleContentProvided: Bool

    /// A policy.
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
