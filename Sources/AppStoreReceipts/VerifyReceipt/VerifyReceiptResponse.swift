internal import AppStoreTrust

/// The status of a `verifyReceipt` answer.
public struct VerifyReceiptStatus: RawRepresentable, Hashable, Sendable, Codable {
    /// The number in the answer.
    public let rawValue: Int

    /// A status by its number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The receipt is genuine. Its subscriptions may have ended.
    public static let valid = Self(rawValue: 0)
    /// The request was not a POST.
    public static let notPost = Self(rawValue: 21000)
    /// The request or the receipt is malformed.
    public static let malformed = Self(rawValue: 21002)
    /// The receipt is not authentic.
    public static let notAuthentic = Self(rawValue: 21003)
    /// The shared secret is another, or missing where it is needed.
    public static let wrongSecret = Self(rawValue: 21004)
    /// The receipt server is unavailable; try again.
    public static let unavailable = Self(rawValue: 21005)
    /// A transaction receipt of a subscription that has ended. The receipt is in the answer.
    public static let expiredSubscription = Self(rawValue: 21006)
    /// A sandbox receipt was sent to production.
    public static let sandboxReceipt = Self(rawValue: 21007)
    /// A production receipt was sent to the sandbox.
    public static let productionReceipt = Self(rawValue: 21008)
    /// Internal data could not be read; try again.
    public static let internalDataAccess = Self(rawValue: 21009)

    /// The status for a receipt, or a request, that was refused for this reason.
    package static func refusing(_ error: VerificationError) -> Self {
        switch error.code {
        case .malformedReceipt, .badBase64URL, .badJSON, .tooLarge, .notEnrolled: .malformed
        default: .notAuthentic
        }
    }
}

/// The answer of `verifyReceipt`, with Apple's names, types and order.
///
/// Apple's servers know things that no receipt says: renewals after the receipt was made, the renewal state, offers,
/// family sharing. `latest_receipt`, `latest_receipt_info` and `pending_renewal_info` are therefore absent.
public struct VerifyReceiptResponse: Sendable, Hashable, Encodable {
    /// How it went.
    public let status: VerifyReceiptStatus

    /// The environment of the receipt; nil in refusals and where it is not known.
    public let environment: ReceiptEnvironment?

    /// Why the receipt was refused, for the log: it is not part of the answer. Nil when the receipt is genuine, or when
    /// the refusal has a status of its own.
    public let reason: VerificationError?

    /// The `receipt` object; nil in refusals.
    package let receipt: OrderedJSON?

    /// An answer; without a receipt it is the status alone.
    package init(
        status: VerifyReceiptStatus, environment: ReceiptEnvironment? = nil, receipt: OrderedJSON? = nil,
        reason: VerificationError? = nil
    ) {
        self.status = status
        self.environment = environment
        self.receipt = receipt
        self.reason = reason
    }

    /// The answer as one line of JSON, its members in Apple's order.
    public var json: String { object.text }

    package var object: OrderedJSON {
        var members: [OrderedJSON.Member] = [.init("status", .number(Int64(status.rawValue)))]
        if let environment { members.append(.init("environment", .string(environment.rawValue))) }
        if let receipt { members.append(.init("receipt", receipt)) }
        return .object(members)
    }

    /// Encodes the answer. An encoder may change the order of its members; ``json`` does not.
    public func encode(to encoder: any Encoder) throws { try object.encode(to: encoder) }
}
