public import Foundation

/// Extends the subscription of one subscriber. Apple's page: `ExtendRenewalDateRequest`.
public struct ExtendRenewalDateRequest: Sendable, Hashable, Codable {
    /// The number of days, 1 to 90.
    public var extendByDays: Int32
    /// The reason.
    public var extendReasonCode: ExtendReasonCode
    /// The developer's identifier of the request: unique, up to 128 characters. Reuse it only to repeat the request.
    public var requestIdentifier: String

    /// Creates the value from its parts.
    public init(extendByDays: Int32, extendReasonCode: ExtendReasonCode, requestIdentifier: String) {
        self.extendByDays = extendByDays
        self.extendReasonCode = extendReasonCode
        self.requestIdentifier = requestIdentifier
    }
}

/// The result of an extension. Apple's page: `ExtendRenewalDateResponse`.
public struct ExtendRenewalDateResponse: Sendable, Hashable, Codable {
    /// The original transaction of the subscription.
    public var originalTransactionId: String
    /// The purchase event that was extended. Documented as always present, but optional here: there is none if nothing
    /// was extended.
    public var webOrderLineItemId: String?
    /// Whether the date was extended.
    public var success: Bool
    /// The new end of the period. Optional for the same reason.
    public var effectiveDate: Date?

    /// Creates the value from its parts.
    public init(
        originalTransactionId: String, webOrderLineItemId: String? = nil, success: Bool, effectiveDate: Date? = nil
    ) {
        self.originalTransactionId = originalTransactionId
        self.webOrderLineItemId = webOrderLineItemId
        self.success = success
        self.effectiveDate = effectiveDate
    }
}

/// Extends the subscriptions of all active subscribers of a product. Apple's page: `MassExtendRenewalDateRequest`.
public struct MassExtendRenewalDateRequest: Sendable, Hashable, Codable {
    /// The number of days, 1 to 90.
    public var extendByDays: Int32
    /// The reason.
    public var extendReasonCode: ExtendReasonCode
    /// The developer's identifier of the request. Must be a UUID; otherwise Apple refuses the request with
    /// ``APIErrorCode/invalidRequestIdentifier``.
    public var requestIdentifier: String
    /// The product identifier.
    public var productId: String
    /// Only these storefronts, ISO 3166-1 alpha-3. Absent means all; an empty list is an error.
    public var storefrontCountryCodes: [String]?

    /// Creates the value from its parts.
    public init(
        extendByDays: Int32, extendReasonCode: ExtendReasonCode, requestIdentifier: String, productId: String,
        storefrontCountryCodes: [String]? = nil
    ) {
        self.extendByDays = extendByDays
        self.extendReasonCode = extendReasonCode
        self.requestIdentifier = requestIdentifier
        self.productId = productId
        self.storefrontCountryCodes = storefrontCountryCodes
    }
}

/// The response to an accepted request. Apple's page: `MassExtendRenewalDateResponse`.
public struct MassExtendRenewalDateResponse: Sendable, Hashable, Codable {
    /// The identifier from the request.
    public var requestIdentifier: String

    /// Creates the value from its parts.
    public init(requestIdentifier: String) {
        self.requestIdentifier = requestIdentifier
    }
}

/// The progress of extending the subscriptions of all subscribers. Apple's page: `MassExtendRenewalDateStatusResponse`.
public struct MassExtendRenewalDateStatusResponse: Sendable, Hashable, Codable {
    /// The identifier from the request.
    public var requestIdentifier: String
    /// Whether the extension is complete.
    public var complete: Bool
    /// When the extension was completed. Only when complete.
    public var completeDate: Date?
    /// The number of subscriptions that were extended. Only when complete.
    public var succeededCount: Int64?
    /// The number of subscriptions that could not be extended. Only when complete.
    public var failedCount: Int64?

    /// Creates the value from its parts.
    public init(
        requestIdentifier: String, complete: Bool, completeDate: Date? = nil, succeededCount: Int64? = nil,
        failedCount: Int64? = nil
    ) {
        self.requestIdentifier = requestIdentifier
        self.complete = complete
        self.completeDate = completeDate
        self.succeededCount = succeededCount
        self.failedCount = failedCount
    }
}

/// The reason for an extension. Apple's page: `extendReasonCode`.
public struct ExtendReasonCode: OpenEnumeration {
    /// The number on the wire.
    public let rawValue: Int32

    /// Creates a value from any number, including unlisted ones.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Not specified.
    public static let undeclared = Self(rawValue: 0)
    /// To satisfy the customer.
    public static let customerSatisfaction = Self(rawValue: 1)
    /// Another reason.
    public static let other = Self(rawValue: 2)
    /// A service issue or outage.
    public static let serviceIssueOrOutage = Self(rawValue: 3)
}
