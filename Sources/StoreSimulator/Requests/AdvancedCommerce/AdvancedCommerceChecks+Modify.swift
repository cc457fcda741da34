package import AppStoreModels

// The request to modify a subscription, which has the most rules.

extension AdvancedCommerceChecks {
    /// Checks a request to modify a subscription: to add, change and remove items, and to change the period or the
    /// names.
    package func modifySubscription(
        _ bytes: [UInt8]
    ) throws(APIFailure) -> AdvancedCommerceSubscriptionModifyInAppRequest {
        try Self.check(bytes, Self.inApp, .modifySubscription) { (body) throws(APIFailure) in
            try Self.checkTransaction(body)
            let retains = try body.bool("retainBillingCycle", missing: .nullRetainBillingCycle, or: .malformedPayload)
            try Self.checkCurrency(body, isRequired: false)
            try Self.checkTaxCode(body, isRequired: false)
            let descriptors = try body.objectIfPresent("descriptors", or: .malformedPayload)
            if let descriptors { try Self.checkDescriptors(descriptors) }
            try Self.checkChanges(Changes(body), retains, hasDescriptors: descriptors != nil, in: body)
        }
    }

    /// The requested changes. Lists are nil if they are absent.
    private struct Changes {
        let add: [RequestBody]?
        let change: [RequestBody]?
        let remove: [RequestBody]?
        let period: AdvancedCommerceEffective?

        init(_ body: RequestBody) throws(APIFailure) {
            add = try body.objectsIfPresent("addItems", nullElement: .nullItem, or: .malformedPayload)
            change = try body.objectsIfPresent("changeItems", nullElement: .nullItem, or: .malformedPayload)
            remove = try body.objectsIfPresent("removeItems", nullElement: .nullItem, or: .malformedPayload)
            guard let period = try body.objectIfPresent("periodChange", or: .malformedPayload) else {
                self.period = nil
                return
            }
            self.period = try AdvancedCommerceChecks.effective(period)
            _ = try period.value(
                "period", of: AdvancedCommerceChecks.periods, missing: .nullPeriod, or: .invalidRenewalPeriod)
        }
    }

    private static func checkChanges(
        _ changes: Changes, _ retains: Bool, hasDescriptors: Bool, in body: RequestBody
    ) throws(APIFailure) {
        guard changes.add != [], changes.change != [] else {
            throw body.failure(.emptyAddChangeItems, "addItems", "or changeItems is an empty list")
        }
        let removed = changes.remove ?? []
        guard changes.add != nil || changes.change != nil || !removed.isEmpty || changes.period != nil || hasDescriptors
        else { throw body.failure(.oneItemNeededInModify, "changeItems", "and all other changes are missing") }
        guard removed.isEmpty || changes.add != nil || changes.change != nil else {
            throw body.failure(
                .removeItemsWithoutAddOrChangeItems, "removeItems", "is not allowed without addItems or changeItems")
        }
        guard changes.period == nil || changes.add != nil || changes.change != nil else {
            throw body.failure(
                .missingUpdatedItemsWithPeriodChange, "periodChange", "is not allowed without addItems or changeItems")
        }
        var skus = try checkNewItems(changes.add ?? [])
        var later: [Bool] = []
        for item in changes.change ?? [] {
            let change = try checkChange(item)
            skus += change.current == change.new ? [change.new] : [change.current, change.new]
            later.append(change.isLater)
        }
        skus += try Self.skus(removed)
        try checkUnique(skus, in: body, or: .multipleOperationsOnSingleSKU)
        try checkTimes(changes, later, retains, in: body)
    }

    private static func checkChange(
        _ item: RequestBody
    ) throws(APIFailure) -> (current: String, new: String, isLater: Bool) {
        let current = try currentSKU(item, missing: .nullCurrentSKU, tooLong: .currentSKULengthExceeded)
        let new = try sku(item, missing: .nullNewSKU)
        try checkNames(item, areRequired: true)
        let isLater = try effective(item) == .nextBillCycle
        _ = try item.value(
            "reason", of: [AdvancedCommerceReason.upgrade, .downgrade, .applyOffer], missing: .nullReason,
            or: .invalidChangeReason)
        try checkOffer(item, price: price(item))
        guard !isLater || !item.has("proratedPrice") else {
            throw item.failure(
                .invalidProratedPriceForChangeItemWithEffectiveLater, "proratedPrice",
                "is for a change that applies later")
        }
        return (current, new, isLater)
    }

    /// Checks that the changes at once and the changes at the next renewal are compatible.
    private static func checkTimes(
        _ changes: Changes, _ later: [Bool], _ retains: Bool, in body: RequestBody
    ) throws(APIFailure) {
        switch changes.period {
        case .immediately?:
            guard !retains else {
                throw body.failure(
                    .periodResetWithRetainBillingCycle, "periodChange", "cannot retain the billing cycle")
            }
            guard !later.contains(true) else {
                throw body.failure(
                    .periodChangeImmediateWithEffectiveAtNextBillingCycle, "periodChange",
                    "applies at once, but an item at the next renewal")
            }
        case .nextBillCycle?:
            guard !later.contains(false) else {
                throw body.failure(
                    .periodChangeEffectiveConflict, "periodChange", "applies at the next renewal, but an item at once")
            }
        default: break
        }
        guard retains || changes.add != nil || later.isEmpty || later.contains(false) else {
            throw body.failure(
                .billingCycleResetWithEffectiveLater, "retainBillingCycle", "is false, but nothing applies at once")
        }
    }
}
