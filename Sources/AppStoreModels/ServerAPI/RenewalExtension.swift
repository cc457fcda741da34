public import Foundation

/// Gives one subscriber extra days. Apple's page: `ExtendRenewalDateRequest`.
public struct ExtendRenewalDateRequest: Sendable, Hashable, Codable {
    /// How many days, 1 to 90.
    public var extendByDays: Int32
    /// Why.
    public var extendReasonCode: ExtendReasonCode
    /// The developer's identifier of the request, unique, up to 128 characters. Use it again only to repeat the
    /// request.
    public var requestIdentifier: String

    /// Creates the value from its parts.
    public init(extendByDays: Int32, extendReasonCode: ExtendReasonCode, requestIdentifier: String) {
        self.extendByDays = extendByDays
        self.extendReasonCode = extendReasonCode
        self.requestIdentifier = requestIdentifier
    }
}

/// How the extension went. Apple's page: `ExtendRenewalDateResponse`.
public struct ExtendRenewalDateResponse: Sendable, Hashable, Codable {
    /// The subscription.
    public var originalTransactionId: String
    /// The purchase event that was extended. Documented as always there; not counted upon, as there is none when
    /// nothing was extended.
    public var webOrderLineItemId: String?
    /// Whether the date was extended.
    public var success: Bool
    /// The new end of the period. Not counted upon either.
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

/// Gives all active subscribers of a product extra days. Apple's page: `MassExtendRenewalDateRequest`.
public struct MassExtendRenewalDateRequest: Sendable, Hashable, Codable {
    /// How many days, 1 to 90.
    public var extendByDays: Int32
    /// Why.
    public var extendReasonCode: ExtendReasonCode
    /// The developer's identifier of the request. Must be a UUID, or Apple refuses it with
    /// ``APIErrorCode/invalidRequestIdentifier``.
    public var requestIdentifier: String
    /// The product.
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

/// Says that the request was taken. Apple's page: `MassExtendRenewalDateResponse`.
public struct MassExtendRenewalDateResponse: Sendable, Hashable, Codable {
    /// The identifier from the request.
    public var requestIdentifier: String

    /// Creates the value from its parts.
    public init(requestIdentifier: String) {
        self.requestIdentifier = requestIdentifier
    }
}

/// How far an extension for all subscribers has come. Apple's page: `MassExtendRenewalDateStatusResponse`.
public struct MassExtendRenewalDateStatusResponse: Sendable, Hashable, Codable {
    /// The identifier from the request.
    public var requestIdentifier: String
    /// Whether it has ended.
    public var complete: Bool
    /// When it ended. Only when complete.
    public var completeDate: Date?
    /// How many subscriptions were extended. Only when complete.
    public var succeededCount: Int64?
    /// How many could not be. Only when complete.
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

/// Why a renewal date is extended. Apple's page: `extendReasonCode`.
public struct ExtendReasonCode: RawRepresentable, Hashable, Sendable, Codable {
    /// The number on the wire.
    public let rawValue: Int32

    /// Takes any number, listed below or not.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Not said.
    public static let undeclared = Self(rawValue: 0)
    /// To satisfy the customer.
    public static let customerSatisfaction = Self(rawValue: 1)
    /// Another reason.
    public static let other = Self(rawValue: 2)
    /// The service was disturbed or down.
    public static let serviceIssueOrOutage = Self(rawValue: 3)
}
