public import Foundation

extension Decimal {
    /// Creates a price in units of its currency from thousandths: 1990 gives exactly 1.99.
    public init(thousandths: Int64) { self.init(sign: .plus, exponent: -3, significand: Decimal(thousandths)) }
}

extension JWSTransactionDecodedPayload {
    /// ``price`` in units of ``currency``, such as 1.99; nil without a price.
    public var decimalPrice: Decimal? { price.map { Decimal(thousandths: $0) } }
}

extension JWSRenewalInfoDecodedPayload {
    /// ``renewalPrice`` in units of ``currency``, such as 1.99; nil without a price.
    public var decimalRenewalPrice: Decimal? { renewalPrice.map { Decimal(thousandths: $0) } }
}

extension TransactionCommitmentInfo {
    /// ``commitmentPrice`` in units of the transaction's currency; nil without a price.
    public var decimalCommitmentPrice: Decimal? { commitmentPrice.map { Decimal(thousandths: $0) } }
}

extension RenewalCommitmentInfo {
    /// ``commitmentRenewalPrice`` in units of the renewal's currency; nil without a price.
    public var decimalCommitmentRenewalPrice: Decimal? { commitmentRenewalPrice.map { Decimal(thousandths: $0) } }
}
