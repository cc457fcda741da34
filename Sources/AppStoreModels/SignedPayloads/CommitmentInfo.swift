public import Foundation

/// The progress of a 12-month commitment at a transaction. Apple's page: `TransactionCommitmentInfo` (1.21).
public struct TransactionCommitmentInfo: Sendable, Hashable, Codable {
    /// The number of the instalment, 1 to 12.
    public var billingPeriodNumber: Int32?
    /// When the commitment ends.
    public var commitmentExpiresDate: Date?
    /// The price of the whole commitment, in thousandths of the currency unit.
    public var commitmentPrice: Int64?
    /// The total number of instalments.
    public var totalBillingPeriods: Int32?

    /// Creates the value from its parts.
    public init(
        billingPeriodNumber: Int32? = nil, commitmentExpiresDate: Date? = nil, commitmentPrice: Int64? = nil,
        totalBillingPeriods: Int32? = nil
    ) {
        self.billingPeriodNumber = billingPeriodNumber
        self.commitmentExpiresDate = commitmentExpiresDate
        self.commitmentPrice = commitmentPrice
        self.totalBillingPeriods = totalBillingPeriods
    }
}

/// The next 12-month commitment. Apple's page: `RenewalCommitmentInfo` (1.21).
public struct RenewalCommitmentInfo: Sendable, Hashable, Codable {
    /// The product of the next commitment.
    public var commitmentAutoRenewProductId: String?
    /// Whether the commitment will renew.
    public var commitmentAutoRenewStatus: AutoRenewStatus?
    /// How the next commitment will be billed.
    public var commitmentRenewalBillingPlanType: RenewalBillingPlanType?
    /// When the next commitment begins.
    public var commitmentRenewalDate: Date?
    /// The price of the next commitment, in thousandths of the currency unit.
    public var commitmentRenewalPrice: Int64?

    /// Creates the value from its parts.
    public init(
        commitmentAutoRenewProductId: String? = nil, commitmentAutoRenewStatus: AutoRenewStatus? = nil,
        commitmentRenewalBillingPlanType: RenewalBillingPlanType? = nil, commitmentRenewalDate: Date? = nil,
        commitmentRenewalPrice: Int64? = nil
    ) {
        self.commitmentAutoRenewProductId = commitmentAutoRenewProductId
        self.commitmentAutoRenewStatus = commitmentAutoRenewStatus
        self.commitmentRenewalBillingPlanType = commitmentRenewalBillingPlanType
        self.commitmentRenewalDate = commitmentRenewalDate
        self.commitmentRenewalPrice = commitmentRenewalPrice
    }
}
