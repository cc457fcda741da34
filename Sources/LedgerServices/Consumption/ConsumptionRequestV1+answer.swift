internal import AppStoreModels

// Purchases of Advanced Commerce are still answered in the first version.

extension ConsumptionRequestV1 {
    /// The same in the first version. What only that version asks for is undeclared.
    init(_ request: ConsumptionRequest) {
        self.init(
            customerConsented: request.customerConsented, consumptionStatus: .init(request.consumptionPercentage),
            platform: .undeclared, sampleContentProvided: request.sampleContentProvided,
            deliveryStatus: Self.deliveries[request.deliveryStatus] ?? .other, accountTenure: .undeclared,
            playTime: .undeclared, lifetimeDollarsRefunded: .undeclared, lifetimeDollarsPurchased: .undeclared,
            userStatus: .undeclared,
            refundPreference: request.refundPreference.map { preference -> RefundPreferenceV1 in
                preference == .decline ? .preferDecline : .preferGrant
            })
    }

    private static let deliveries: [DeliveryStatus: DeliveryStatusV1] = [
        .delivered: .delivered, .undeliveredQualityIssue: .qualityIssue, .undeliveredWrongItem: .wrongItem,
        .undeliveredServerOutage: .serverOutage, .undeliveredOther: .other,
    ]
}

extension ConsumptionStatus {
    fileprivate init(_ percentage: Int32?) {
        switch percentage {
        case nil: self = .undeclared
        case 0?: self = .notConsumed
        case 100_000?: self = .fullyConsumed
        case _?: self = .partiallyConsumed
        }
    }
}
