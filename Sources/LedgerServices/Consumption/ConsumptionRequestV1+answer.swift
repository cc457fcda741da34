internal import AppStoreModels
internal import Basics

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

    /// Exactly what the App Store gets.
    var json: String {
        var json = JSONWriter()
        json.object { json in
            json.member("customerConsented", customerConsented)
            json.member("consumptionStatus", consumptionStatus.rawValue)
            json.member("platform", platform.rawValue)
            json.member("sampleContentProvided", sampleContentProvided)
            json.member("deliveryStatus", deliveryStatus.rawValue)
            // Empty stands for none.
            json.member("appAccountToken", appAccountToken?.text ?? "")
            json.member("accountTenure", accountTenure.rawValue)
            json.member("playTime", playTime.rawValue)
            json.member("lifetimeDollarsRefunded", lifetimeDollarsRefunded.rawValue)
            json.member("lifetimeDollarsPurchased", lifetimeDollarsPurchased.rawValue)
            json.member("userStatus", userStatus.rawValue)
            if let refundPreference { json.member("refundPreference", refundPreference.rawValue) }
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }
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
