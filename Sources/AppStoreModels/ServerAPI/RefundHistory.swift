/// One page of a customer's refunds. Apple's page: `RefundHistoryResponse`.
public struct RefundHistoryResponse: Sendable, Hashable, Codable {
    /// Up to 20 JWS, each a ``JWSTransactionDecodedPayload``, by ascending revocation date; may be empty.
    public var signedTransactions: [String]
    /// The token of the next page.
    public var revision: String
    /// Whether there is another page.
    public var hasMore: Bool

    /// Creates the value from its parts.
    public init(signedTransactions: [String], revision: String, hasMore: Bool) {
        self.signedTransactions = signedTransactions
        self.revision = revision
        self.hasMore = hasMore
    }
}

/// A customer's latest refunds, from the deprecated first version of the endpoint. Apple's page:
/// `RefundLookupResponse`.
public struct RefundLookupResponse: Sendable, Hashable, Codable {
    /// Up to 50 JWS, each a ``JWSTransactionDecodedPayload``.
    public var signedTransactions: [String]

    /// Creates the value from its parts.
    public init(signedTransactions: [String]) {
        self.signedTransactions = signedTransactions
    }
}
