package import AppStoreModels

// Endpoints A1 to A4. The documented codes of each endpoint are those on its page.

extension AdvancedCommerceChecks {
    static let common: Set<APIErrorCode> = [
        .nullRequestInfo, .invalidAppAccountToken, .nullRequestReferenceID, .invalidRequestReferenceID,
        .invalidConsistencyToken, .invalidStorefrontCountryCode, .malformedPayload,
    ]

    private static let sku: Set<APIErrorCode> = [
        .skuLengthExceeded, .descriptionLengthExceeded, .displayNameLengthExceeded, .invalidSKU,
    ]

    private static let names: Set<APIErrorCode> = [.invalidDisplayName, .invalidDescription, .invalidTaxProductCode]

    /// Checks a request to cancel a subscription (A1).
    package func cancel(_ bytes: [UInt8]) throws(APIFailure) -> AdvancedCommerceSubscriptionCancelRequest {
        try Self.check(bytes, Self.common) { _ in }
    }

    /// Checks a request to change the metadata of a subscription (A2).
    package func changeMetadata(
        _ bytes: [UInt8]
    ) throws(APIFailure) -> AdvancedCommerceSubscriptionChangeMetadataRequest {
        let documented = Self.common.union(Self.sku).union(Self.names).union([
            .nullEffective, .invalidProductChanges, .atLeastOneItem, .atLeastOneOfDisplayNameOrDescription,
        ])
        return try Self.check(bytes, documented) { (body) throws(APIFailure) in
            try Self.checkTaxCode(body, isRequired: false)
            let descriptors = try body.objectIfPresent("descriptors", or: .malformedPayload)
            if let descriptors { try Self.checkDescriptors(descriptors) }
            let items = try body.objectsIfPresent("items", or: .malformedPayload)
            guard items != [], items != nil || descriptors != nil || body.has("taxCode") else {
                throw body.failure(.atLeastOneItem, "items", "has no item")
            }
            try Self.checkChanges(items ?? [], in: body)
        }
    }

    static func checkDescriptors(_ descriptors: RequestBody) throws(APIFailure) {
        _ = try effective(descriptors)
        guard try checkNames(descriptors, areRequired: false) else {
            throw descriptors.failure(
                .atLeastOneOfDisplayNameOrDescription, "displayName", "and description are missing")
        }
    }

    private static func checkChanges(_ items: [RequestBody], in body: RequestBody) throws(APIFailure) {
        var current: [String] = []
        for item in items {
            // Apple documents no code of this endpoint for an item without `currentSKU`.
            current.append(try currentSKU(item, missing: .invalidSKU, tooLong: .skuLengthExceeded))
            _ = try effective(item)
            let sku = try skuIfPresent(item)
            let hasNames = try checkNames(item, areRequired: false)
            guard hasNames || sku != nil else {
                throw item.failure(.invalidProductChanges, "SKU", "and the names are missing, so nothing changes")
            }
        }
        try checkUnique(current, in: body, or: .invalidProductChanges)
    }

    /// Checks a request to change prices of a subscription (A3).
    package func changePrice(_ bytes: [UInt8]) throws(APIFailure) -> AdvancedCommerceSubscriptionPriceChangeRequest {
        let documented = Self.common.union(Self.sku).union([
            .nullItems, .nullSKU, .invalidCurrency, .negativePrice, .dependentSKUsCannotBeShared,
            .dependentSKUsCannotBeChained, .itemCannotBeSpecifiedMultipleTimes,
        ])
        return try Self.check(bytes, documented) { (body) throws(APIFailure) in
            try Self.checkCurrency(body, isRequired: false)
            let items = try body.objects("items", missing: .nullItems, or: .malformedPayload)
            guard !items.isEmpty else { throw body.failure(.nullItems, "items", "is empty") }
            try Self.checkPrices(items, in: body)
        }
    }

    private static func checkPrices(_ items: [RequestBody], in body: RequestBody) throws(APIFailure) {
        var (skus, parents, dependents): ([String], Set<String>, [String]) = ([], [], [])
        for item in items {
            let sku = try sku(item)
            _ = try price(item)
            skus.append(sku)
            let list = try item.stringsIfPresent("dependentSKUs", or: .invalidSKU) ?? []
            for dependent in list {
                guard !dependent.isEmpty else {
                    throw item.failure(.invalidSKU, "dependentSKUs", "contains an empty SKU")
                }
                guard dependent.unicodeScalars.count <= 128 else {
                    throw item.failure(
                        .skuLengthExceeded, "dependentSKUs", "contains an SKU of more than 128 characters")
                }
            }
            if !list.isEmpty { parents.insert(sku) }
            dependents += list
        }
        try checkUnique(skus, in: body, or: .itemCannotBeSpecifiedMultipleTimes)
        try checkUnique(dependents, in: body, or: .dependentSKUsCannotBeShared)
        if let chained = dependents.first(where: parents.contains) {
            throw body.failure(.dependentSKUsCannotBeChained, "“\(chained)”", "depends on another and has dependents")
        }
    }

    /// Checks a request to migrate a subscription (A4).
    package func migrate(_ bytes: [UInt8]) throws(APIFailure) -> AdvancedCommerceSubscriptionMigrateRequest {
        let documented = Self.common.union(Self.sku).union(Self.names).union([
            .nullTaxCode, .nullItems, .nullDescriptors, .nullSKU, .nullDisplayName, .nullDescription, .atLeastOneItem,
            .nullTargetProductID, .invalidTargetProductID,
        ])
        return try Self.check(bytes, documented) { (body) throws(APIFailure) in
            try Self.checkTaxCode(body, isRequired: true)
            let target = try body.string("targetProductId", missing: .nullTargetProductID, or: .invalidTargetProductID)
            guard !target.isEmpty else { throw body.failure(.invalidTargetProductID, "targetProductId", "is empty") }
            let descriptors = try body.object("descriptors", missing: .nullDescriptors, or: .malformedPayload)
            try Self.checkNames(descriptors, areRequired: true)
            let items = try body.objects("items", missing: .nullItems, or: .malformedPayload)
            try Self.checkNamedItems(items, "items", in: body)
            if let items = try body.objectsIfPresent("renewalItems", or: .malformedPayload) {
                try Self.checkNamedItems(items, "renewalItems", in: body)
            }
        }
    }

    private static func checkNamedItems(
        _ items: [RequestBody], _ name: String, in body: RequestBody
    ) throws(APIFailure) {
        guard !items.isEmpty else { throw body.failure(.atLeastOneItem, name, "is empty") }
        try checkUnique(checkNewItems(items, havePrices: false), in: body, or: .invalidSKU)
    }
}
