package import AppStoreModels
package import Entitlements

/// The consumption information to send about one purchase, with the source of each value. A pure function of its
/// inputs.
package struct ConsumptionPreview: Sendable, Hashable {
    /// The source of a value.
    package enum Source: String, Sendable, Hashable {
        case transactionUsage = "usage_of_transaction"
        case productUsage = "usage_of_product"
        case customerUsage = "usage_of_customer"
        case policy
        /// The App Store's rules require the value.
        case rule
    }

    /// The reason why nothing may be sent.
    package enum Obstacle: String, Sendable, Hashable, CaseIterable {
        case noPolicy = "no_policy"
        case noConsent = "no_consent"
        case notPurchased = "not_purchased"
    }

    /// The source of a value that is sent or omitted.
    package struct Reason: Sendable, Hashable {
        package var member: String
        package var source: Source
        package var note: String?
    }

    /// The information to send; nil if there is an obstacle.
    package var request: ConsumptionRequest?
    package var obstacle: Obstacle?
    package var reasons: [Reason] = []

    package init(about transaction: TransactionFact, usage: [UsageReport], policy: ConsumptionPolicy?) {
        guard let policy else {
            obstacle = .noPolicy
            return
        }
        guard transaction.ownership == .purchased else {
            obstacle = .notPurchased
            return
        }
        let consent = take("customer_consented", usage, \.customerConsented) ?? policy.defaultConsent
        guard consent else {
            obstacle = .noConsent
            return
        }
        var request = ConsumptionRequest(
            customerConsented: true,
            deliveryStatus: take("delivery_status", usage, \.deliveryStatus) ?? policy.deliveryStatus,
            sampleContentProvided: take("sample_content_provided", usage, \.sampleContentProvided)
                ?? policy.sampleContentProvided)
        setPercentage(&request, transaction, usage)
        setPreference(&request, transaction, policy)
        self.request = request
    }

    /// Returns the value of the most specific usage report that has one; nil if the policy decides. Records the source.
    private mutating func take<Value>(
        _ member: String, _ usage: [UsageReport], _ value: KeyPath<UsageReport, Value?>
    ) -> Value? {
        for report in usage {
            guard let found = report[keyPath: value] else { continue }
            reasons.append(Reason(member: member, source: report.source))
            return found
        }
        reasons.append(Reason(member: member, source: .policy))
        return nil
    }

    private mutating func setPercentage(
        _ request: inout ConsumptionRequest, _ transaction: TransactionFact, _ usage: [UsageReport]
    ) {
        let member = "consumption_percentage"
        if transaction.type == .autoRenewableSubscription {
            reasons.append(
                Reason(
                    member: member, source: .rule, note: "Left out: the App Store knows the progress of a subscription."
                ))
        } else if request.deliveryStatus != .delivered {
            request.consumptionPercentage = 0
            reasons.append(
                Reason(member: member, source: .rule, note: "A product that was not delivered was not used."))
        } else if let report = usage.first(where: { $0.consumptionPercentage != nil && $0.source != .customerUsage }) {
            request.consumptionPercentage = report.consumptionPercentage
            reasons.append(Reason(member: member, source: report.source))
        }
    }

    private mutating func setPreference(
        _ request: inout ConsumptionRequest, _ transaction: TransactionFact, _ policy: ConsumptionPolicy
    ) {
        guard let preference = policy.refundPreference else { return }
        let member = "refund_preference"
        if preference == .grantProrated, transaction.type != .autoRenewableSubscription,
            !(1..<100_000).contains(request.consumptionPercentage ?? 0)
        {
            reasons.append(
                Reason(
                    member: member, source: .rule,
                    note: "Left out: a prorated refund needs a consumption above 0 and below 100 percent."))
            return
        }
        request.refundPreference = preference
        reasons.append(Reason(member: member, source: .policy))
    }
}

extension UsageReport {
    fileprivate var source: ConsumptionPreview.Source {
        transactionID != nil ? .transactionUsage : productID != nil ? .productUsage : .customerUsage
    }
}
