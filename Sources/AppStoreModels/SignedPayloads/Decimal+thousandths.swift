public import Foundation

extension Decimal {
    /// A price as a number of units of its currency: 1990 thousandths are 1.99, exactly.
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
