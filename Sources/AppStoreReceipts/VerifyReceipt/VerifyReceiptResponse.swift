public import AppStoreModels
internal import AppStoreTrust

/// The status of a `verifyReceipt` response.
public struct VerifyReceiptStatus: OpenEnumeration {
    /// The number in the response.
    public let rawValue: Int

    /// Creates a status from its number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The receipt is genuine. Its subscriptions may have ended.
    public static let valid = Self(rawValue: 0)
    /// The request was not a POST.
    public static let notPost = Self(rawValue: 21000)
    /// The request or the receipt is malformed.
    public static let malformed = Self(rawValue: 21002)
    /// The receipt is not authentic.
    public static let notAuthentic = Self(rawValue: 21003)
    /// The shared secret is wrong, or missing although required.
    public static let wrongSecret = Self(rawValue: 21004)
    /// The receipt server is unavailable; try again.
    public static let unavailable = Self(rawValue: 21005)
    /// A transaction receipt of an expired subscription. The response contains the receipt.
    public static let expiredSubscription = Self(rawValue: 21006)
    /// A sandbox receipt was sent to production.
    public static let sandboxReceipt = Self(rawValue: 21007)
    /// A production receipt was sent to the sandbox.
    public static let productionReceipt = Self(rawValue: 21008)
    /// Internal data could not be read; try again.
    public static let internalDataAccess = Self(rawValue: 21009)
    /// The account does not exist or was deleted. Only a server with account data responds with it.
    public static let accountNotFound = Self(rawValue: 21010)

    /// Returns the status for a receipt or a request that was refused with this error.
    package static func refusing(_ error: VerificationError) -> Self {
        switch error.code {
        case .malformedReceipt, .badBase64URL, .badJSON, .tooLarge, .notEnrolled: .malformed
        default: .notAuthentic
        }
    }
}

/// A `verifyReceipt` response, with Apple's names, types and order.
///
/// Apple's servers have data that a receipt lacks: later renewals, the renewal state, offers, family sharing.
/// `latest_receipt`, `latest_receipt_info` and `pending_renewal_info` are therefore absent.
public struct VerifyReceiptResponse: Sendable, Hashable, Encodable {
    /// The status.
    public let status: VerifyReceiptStatus

    /// The environment of the receipt; nil in refusals and if it is unknown.
    public let environment: AppStoreEnvironment?

    /// Why the receipt was refused, for the log: not part of the response. Nil if the receipt is genuine, or if the
    /// refusal has a status of its own.
    public let reason: VerificationError?

    /// The `receipt` object; nil in refusals.
    package let receipt: OrderedJSON?

    /// Creates a response; without a receipt it contains only the status.
    package init(
        status: VerifyReceiptStatus, environment: AppStoreEnvironment? = nil, receipt: OrderedJSON? = nil,
        reason: VerificationError? = nil
    ) {
        self.status = status
        self.environment = environment
        self.receipt = receipt
        self.reason = reason
    }

    /// The response as one line of JSON, with its members in Apple's order.
    public var json: String { object.text }

    package var object: OrderedJSON {
        var members: [OrderedJSON.Member] = [.init("status", .number(Int64(status.rawValue)))]
        if let environment { members.append(.init("environment", .string(environment.rawValue))) }
        if let receipt { members.append(.init("receipt", receipt)) }
        return .object(members)
    }

    /// Encodes the response. An encoder may change the order of the members; ``json`` does not.
    public func encode(to encoder: any Encoder) throws { try object.encode(to: encoder) }
}
