import AppStoreModels
import Testing

@testable import LedgerServices

@Suite struct `Consumption requests in version 1` {
    @Test(arguments: [(nil, 0), (0, 1), (1, 2), (99_999, 2), (100_000, 3)] as [(Int32?, Int32)])
    func `Version 1 of a consumption request has the matching values`(_ percentage: Int32?, _ status: Int32) {
        var request = ConsumptionRequest(
            customerConsented: true, deliveryStatus: .delivered, sampleContentProvided: true,
            consumptionPercentage: percentage)
        #expect(ConsumptionRequestV1(request).consumptionStatus.rawValue == status)
        #expect(ConsumptionRequestV1(request).refundPreference == nil)
        request.deliveryStatus = .undeliveredWrongItem
        request.refundPreference = .grantProrated
        let first = ConsumptionRequestV1(request)
        #expect(first.deliveryStatus == .wrongItem && first.refundPreference == .preferGrant)
        #expect(first.sampleContentProvided && first.customerConsented)
    }
}
