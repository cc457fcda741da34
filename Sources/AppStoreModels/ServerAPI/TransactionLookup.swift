public import Foundation

/// One transaction. Apple's page: `TransactionInfoResponse`.
public struct TransactionInfoResponse: Sendable, Hashable, Codable {
    /// The JWS of a ``JWSTransactionDecodedPayload``.
    public var signedTransactionInfo: String

    /// Creates the value from its parts.
    public init(signedTransactionInfo: String) {
        self.signedTransactionInfo = signedTransactionInfo
    }
}

/// The app transaction of a customer. Apple's page: `AppTransactionInfoResponse`.
public struct AppTransactionInfoResponse: Sendable, Hashable, Codable {
    /// The JWS of an ``AppTransaction``.
    public var signedAppTransactionInfo: String

    /// Creates the value from its parts.
    public init(signedAppTransactionInfo: String) {
        self.signedAppTransactionInfo = signedAppTransactionInfo
    }
}

/// The purchases of one order. Apple's page: `OrderLookupResponse`.
public struct OrderLookupResponse: Sendable, Hashable, Codable {
    /// Whether the order belongs to this app.
    public var status: OrderLookupStatus
    /// The JWS of each ``JWSTransactionDecodedPayload``. Only for a valid order.
    public var signedTransactions: [String]?

    /// Creates the value from its parts.
    public init(status: OrderLookupStatus, signedTransactions: [String]? = nil) {
        self.status = status
        self.signedTransactions = signedTransactions
    }
}

/// Whether an order exists. Apple's page: `OrderLookupStatus`.
public struct OrderLookupStatus: OpenEnumeration {
    /// The number on the wire.
    public let rawValue: Int32

    /// Creates a value from any number, including unlisted ones.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The order has purchases in this app.
    public static let valid = Self(rawValue: 0)
    /// The order is unknown. The response is nevertheless a success.
    public static let invalid = Self(rawValue: 1)
}

/// Associates a purchase with an account of the developer. Apple's page: `UpdateAppAccountTokenRequest`.
public struct UpdateAppAccountTokenRequest: Sendable, Hashable, Codable {
    /// The account token. It replaces an existing one; for a subscription it applies as of the current renewal.
    public var appAccountToken: UUID

    /// Creates the value from its parts.
    public init(appAccountToken: UUID) {
        self.appAccountToken = appAccountToken
    }
}
