internal import AppStoreModels

// The App Store still requires version 1 for purchases of the Advanced Commerce API.

extension ConsumptionRequestV1 {
    /// Converts a request to version 1. Values that only version 1 has are undeclared.
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
