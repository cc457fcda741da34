package import AppStoreModels

// Requests of apps, signed by the developer's server. The bytes are the JSON in the claim `request`.

extension AdvancedCommerceChecks {
    /// Codes that only the server endpoints use.
    private static let serverOnly: Set<APIErrorCode> = [.atLeastOneItem, .atLeastOneOfDisplayNameOrDescription]

    /// All other known codes. Apple does not document which of the requests of apps use which codes.
    static let inApp = Set(APIErrorCode.known).subtracting(serverOnly)

    /// Checks a request for a one-time charge.
    package func createOneTimeCharge(
        _ bytes: [UInt8]
    ) throws(APIFailure) -> AdvancedCommerceOneTimeChargeCreateRequest {
        try Self.check(bytes, Self.inApp, .createOneTimeCharge) { (body) throws(APIFailure) in
            try Self.checkCurrency(body, isRequired: true)
            try Self.checkTaxCode(body, isRequired: true)
            let item = try body.object("item", missing: .nullItem, or: .malformedPayload)
            _ = try Self.sku(item)
            try Self.checkNames(item, areRequired: true)
            _ = try Self.price(item)
        }
    }

    /// Checks a request to create a subscription.
    package func createSubscription(_ bytes: [UInt8]) throws(APIFailure) -> AdvancedCommerceSubscriptionCreateRequest {
        try Self.check(bytes, Self.inApp, .createSubscription) { (body) throws(APIFailure) in
            try Self.checkCurrency(body, isRequired: true)
            try Self.checkTaxCode(body, isRequired: true)
            let descriptors = try body.object("descriptors", missing: .nullDescriptors, or: .malformedPayload)
            try Self.checkNames(descriptors, areRequired: true)
            _ = try body.value("period", of: Self.periods, missing: .nullPeriod, or: .invalidRenewalPeriod)
            if let previous = try body.stringIfPresent("previousTransactionId", or: .invalidPreviousTransactionID) {
                guard Self.isTransactionID(previous) else {
                    throw body.failure(.invalidPreviousTransactionID, "previousTransactionId", "is not a number")
                }
            }
            let items = try body.objects("items", missing: .nullItems, nullElement: .nullItem, or: .malformedPayload)
            guard !items.isEmpty else { throw body.failure(.nullItems, "items", "is empty") }
            try Self.checkUnique(Self.checkNewItems(items), in: body, or: .multipleOperationsOnSingleSKU)
        }
    }

    /// Checks a request to turn on the renewal of a subscription again.
    package func reactivateSubscription(
        _ bytes: [UInt8]
    ) throws(APIFailure) -> AdvancedCommerceSubscriptionReactivateInAppRequest {
        try Self.check(bytes, Self.inApp, .reactivateSubscription) { (body) throws(APIFailure) in
            try Self.checkTransaction(body)
            let items = try body.objectsIfPresent("items", nullElement: .nullItem, or: .malformedPayload)
            guard items != [] else { throw body.failure(.nullItems, "items", "is empty") }
            try Self.checkUnique(Self.skus(items ?? []), in: body, or: .multipleOperationsOnSingleSKU)
        }
    }

    static func checkStart(_ body: RequestBody, _ operation: AdvancedCommerceOperation) throws(APIFailure) {
        _ = try body.value("operation", of: [operation], or: .invalidOperation)
        guard try body.string("version", missing: .nullVersion, or: .unexpectedVersion) == "1" else {
            throw body.failure(.unexpectedVersion, "version", "is not 1")
        }
    }

    static func checkTransaction(_ body: RequestBody) throws(APIFailure) {
        let id = try body.string("transactionId", missing: .nullTransactionId, or: .invalidTransactionId)
        guard isTransactionID(id) else { throw body.failure(.invalidTransactionId, "transactionId", "is not a number") }
    }

    /// Checks items to be added. Returns their SKUs. Items of a migration have no price.
    static func checkNewItems(_ items: [RequestBody], havePrices: Bool = true) throws(APIFailure) -> [String] {
        try items.map { (item) throws(APIFailure) in
            let sku = try sku(item)
            try checkNames(item, areRequired: true)
            if havePrices { try checkOffer(item, price: price(item)) }
            return sku
        }
    }
}
