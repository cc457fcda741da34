internal import AppStoreModels

// The fields of items in all requests. Each method throws the code of the broken rule.

extension AdvancedCommerceChecks {
    /// Returns a text that must not be empty; nil if it is missing.
    private static func text(
        _ item: RequestBody, _ name: String, upTo limit: Int, tooLong: APIErrorCode, or code: APIErrorCode
    ) throws(APIFailure) -> String? {
        guard let text = try item.stringIfPresent(name, or: code) else { return nil }
        guard !text.isEmpty else { throw item.failure(code, name, "is empty") }
        guard text.unicodeScalars.count <= limit else {
            throw item.failure(tooLong, name, "has more than \(limit) characters")
        }
        return text
    }

    static func skuIfPresent(_ item: RequestBody) throws(APIFailure) -> String? {
        try text(item, "SKU", upTo: 128, tooLong: .skuLengthExceeded, or: .invalidSKU)
    }

    /// Returns the `SKU` of an item.
    static func sku(_ item: RequestBody, missing: APIErrorCode = .nullSKU) throws(APIFailure) -> String {
        try item.required(skuIfPresent(item), "SKU", missing)
    }

    static func skus(_ items: [RequestBody]) throws(APIFailure) -> [String] {
        try items.map { (item) throws(APIFailure) in try sku(item) }
    }

    /// Returns the `currentSKU` of an item.
    static func currentSKU(
        _ item: RequestBody, missing: APIErrorCode, tooLong: APIErrorCode
    ) throws(APIFailure) -> String {
        try item.required(
            text(item, "currentSKU", upTo: 128, tooLong: tooLong, or: .invalidSKU), "currentSKU", missing)
    }

    /// Checks `displayName` and `description`. Returns whether at least one of them is present.
    @discardableResult
    static func checkNames(_ item: RequestBody, areRequired: Bool) throws(APIFailure) -> Bool {
        let name = try text(
            item, "displayName", upTo: 30, tooLong: .displayNameLengthExceeded, or: .invalidDisplayName)
        if areRequired { _ = try item.required(name, "displayName", .nullDisplayName) }
        let description = try text(
            item, "description", upTo: 45, tooLong: .descriptionLengthExceeded, or: .invalidDescription)
        if areRequired { _ = try item.required(description, "description", .nullDescription) }
        return name != nil || description != nil
    }

    static func price(_ item: RequestBody) throws(APIFailure) -> Int64 {
        let price = try item.int("price", missing: .nullPrice, or: .invalidAmount)
        guard price >= 0 else { throw item.failure(.negativePrice, "price", "is negative") }
        return price
    }

    /// Checks the offer of an item, and that it is not combined with a prorated price.
    static func checkOffer(_ item: RequestBody, price: Int64) throws(APIFailure) {
        let prorated = try item.intIfPresent("proratedPrice", or: .invalidProratedPrice)
        if let prorated, prorated < 0 { throw item.failure(.negativeProratedPrice, "proratedPrice", "is negative") }
        guard let offer = try item.objectIfPresent("offer", or: .malformedPayload) else { return }
        guard prorated == nil else {
            throw item.failure(.multiplePrices, "proratedPrice", "is not allowed together with an offer")
        }
        _ = try offer.value("period", of: offerPeriods, missing: .nullOfferPeriod, or: .invalidOfferPeriod)
        let count = try offer.int("periodCount", missing: .nullPeriodCount, or: .invalidOfferPeriodCount)
        guard count > 0 else { throw offer.failure(.periodCountNotPositive, "periodCount", "is not positive") }
        guard count <= 12 else { throw offer.failure(.invalidOfferPeriodCount, "periodCount", "is above 12") }
        let offered = try Self.price(offer)
        guard offered <= price else { throw offer.failure(.invalidOfferPrice, "price", "is above the regular price") }
        guard offered > 0 || count == 1 else {
            throw offer.failure(.freeTrialOfferMustUsePeriodCountOfOne, "periodCount", "of a free trial is not 1")
        }
        _ = try offer.value("reason", of: offerReasons, missing: .nullReason, or: .invalidOfferReason)
    }

    static func effective(_ item: RequestBody) throws(APIFailure) -> AdvancedCommerceEffective {
        try item.value("effective", of: [.immediately, .nextBillCycle], missing: .nullEffective, or: .malformedPayload)
    }

    /// Throws `code` if a text occurs twice.
    static func checkUnique(_ texts: [String], in body: RequestBody, or code: APIErrorCode) throws(APIFailure) {
        var seen: Set<String> = []
        for text in texts where !seen.insert(text).inserted {
            throw body.failure(code, "“\(text)”", "occurs more than once")
        }
    }

    private static let offerPeriods: [AdvancedCommerceOfferPeriod] = [
        .p3d, .p1w, .p2w, .p1m, .p2m, .p3m, .p6m, .p9m, .p1y,
    ]
    private static let offerReasons: [AdvancedCommerceOfferReason] = [.acquisition, .winBack, .retention]
    static let periods: [AdvancedCommercePeriod] = [.p1w, .p1m, .p2m, .p3m, .p6m, .p1y]
}
