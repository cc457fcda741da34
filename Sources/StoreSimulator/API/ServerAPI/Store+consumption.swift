internal import AppStoreModels
internal import Foundation

// The developer's response to a consumption request. Late or unrequested responses are accepted without effect, because
// Apple documents no error for them.

extension Store {
    mutating func sendConsumption(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIResponse {
        _ = try request.identifier("transactionId", or: .invalidTransactionId)
        let body = try request.fields()
        try Self.checkConsent(body)
        let delivery = try body.value(
            "deliveryStatus",
            of: [
                DeliveryStatus.delivered, .undeliveredQualityIssue, .undeliveredWrongItem, .undeliveredServerOutage,
                .undeliveredOther,
            ], or: .invalidDeliveryStatus)
        _ = try body.bool("sampleContentProvided", or: .invalidSampleContentProvided)
        let preference = try body.valueIfPresent(
            "refundPreference", of: RefundPreference.documented, or: .invalidRefundPreference)
        // Apple documents three errors of this endpoint by name only; their numbers are unknown.
        let percentage = try body.intIfPresent("consumptionPercentage", in: 0...100_000, or: nil)
        let transaction = try purchase(request)
        try refuseShared(transaction)
        guard transaction.payload.advancedCommerceInfo == nil else {
            throw APIFailure(status: 400, "AdvancedCommerceTransactionNotSupported: use the first version.")
        }
        if let percentage {
            guard !transaction.isSubscription else {
                throw APIFailure(
                    .consumptionPercentageAutoRenewableSubscription,
                    "The App Store computes the consumption of subscriptions: omit consumptionPercentage.")
            }
            guard delivery == .delivered || percentage == 0 else {
                throw APIFailure(
                    status: 400, "UndeliveredConsumptionPercentageNonZero: undelivered content cannot be consumed.")
            }
        }
        if preference == .grantProrated, !transaction.isSubscription {
            guard let percentage, (1..<100_000).contains(percentage) else {
                throw APIFailure(
                    status: 400,
                    "ConsumptionPercentageOutOfRange: a prorated refund needs a percentage above 0 and below 100000.")
            }
        }
        answer(transaction, preference, consumption: percentage.map { Int32(clamping: $0) }, at: now)
        return APIResponse(status: 202)
    }

    mutating func sendConsumptionV1(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIResponse {
        let preference = try Self.checkConsumptionV1(request.fields())
        // Apple documents no other code of this version for an identifier: not 4000006, and not 4000048 for app
        // transactions.
        guard let transaction = transactions[request.path["transactionId"] ?? ""] else {
            throw unknownTransaction(.transactionIdNotFound)
        }
        try refuseAssigned(transaction)
        guard transaction.isSubscription || transaction.payload.type == .consumable else {
            throw APIFailure(
                .invalidTransactionTypeNotSupported, "Only consumables and auto-renewable subscriptions have this.")
        }
        answer(transaction, preference, consumption: nil, at: now)
        return APIResponse(status: 202)
    }

    private mutating func answer(
        _ transaction: StoredTransaction, _ preference: RefundPreference?, consumption: Int32?, at now: Date
    ) {
        guard let requested = transaction.refund?.requested, now <= requested + settings.consumptionWindow else {
            return
        }
        answerConsumptionRequest(
            transaction.payload.transactionId, preference: preference, consumption: consumption, at: now)
    }

    private static func checkConsent(_ body: RequestBody) throws(APIFailure) {
        guard try body.bool("customerConsented", or: .invalidCustomerConsented) else {
            throw APIFailure(
                .invalidCustomerConsented, "Consumption data must not be sent without the customer's consent.")
        }
    }

    /// Validates a body of version 1. Every field except `refundPreference` is required. Returns the preference as a
    /// value of version 2.
    private static func checkConsumptionV1(_ body: RequestBody) throws(APIFailure) -> RefundPreference? {
        try checkConsent(body)
        _ = try body.int("consumptionStatus", in: 0...3, or: .invalidConsumptionStatus)
        _ = try body.int("platform", in: 0...2, or: .invalidPlatform)
        _ = try body.bool("sampleContentProvided", or: .invalidSampleContentProvided)
        _ = try body.int("deliveryStatus", in: 0...5, or: .invalidDeliveryStatus)
        // Apple's libraries for Python and Node omit the field; the documentation requires an empty string.
        _ = try body.uuidIfPresent("appAccountToken", emptyIsNone: true, or: .invalidAppAccountToken)
        _ = try body.int("accountTenure", in: 0...7, or: .invalidAccountTenure)
        _ = try body.int("playTime", in: 0...7, or: .invalidPlayTime)
        _ = try body.int("lifetimeDollarsRefunded", in: 0...7, or: .invalidLifetimeDollarsRefunded)
        _ = try body.int("lifetimeDollarsPurchased", in: 0...7, or: .invalidLifetimeDollarsPurchased)
        _ = try body.int("userStatus", in: 0...4, or: .invalidUserStatus)
        let preference = try body.intIfPresent("refundPreference", in: 0...3, or: .invalidRefundPreference)
        return switch preference {
        case Int64(RefundPreferenceV1.preferGrant.rawValue): .grantFull
        case Int64(RefundPreferenceV1.preferDecline.rawValue): .decline
        default: nil
        }
    }
}
