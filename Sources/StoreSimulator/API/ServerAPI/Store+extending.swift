internal import AppStoreModels
internal import Foundation

// Extension of renewal dates, for one subscriber or for all.

/// The validated fields that the bodies of both requests have in common.
private struct ExtensionRequest {
    let days: Int32
    let identifier: String

    init(_ body: RequestBody) throws(APIFailure) {
        days = Int32(clamping: try body.int("extendByDays", in: 1...90, or: .invalidExtendByDays))
        _ = try body.int("extendReasonCode", in: 0...3, or: .invalidExtendReasonCode)
        identifier = try body.string(
            "requestIdentifier", upTo: 128, tooLong: .invalidRequestIdentifier, or: .invalidRequestIdentifier)
        guard !identifier.isEmpty else { throw APIFailure(.invalidRequestIdentifier, "requestIdentifier is empty.") }
    }
}

extension Store {
    mutating func extendRenewalDate(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIResponse {
        _ = try request.identifier("originalTransactionId", or: .invalidOriginalTransactionId)
        let wanted = try ExtensionRequest(request.fields())
        let original = try original(request)
        guard let subscription = subscriptions[original.payload.transactionId] else {
            throw APIFailure(.subscriptionExtensionIneligible, "The purchase is no auto-renewable subscription.")
        }
        // A repeated request, for instance after a timeout, gets the same response and has no further effect.
        if let end = subscription.extensionRequests[wanted.identifier] { return extended(subscription, to: end) }
        switch extensionRefusal(subscription, at: now) {
        case nil: break
        case .ineligible:
            throw APIFailure(.subscriptionExtensionIneligible, "The subscription is not active, or in a free offer.")
        case .tooOften:
            throw APIFailure(.subscriptionMaxExtension, "The subscription was extended twice in the last 365 days.")
        case .familyMember:
            throw APIFailure(
                .familySharedSubscriptionExtensionIneligible, "Extend the subscription of the family member who pays.")
        case .assignedSeat:
            throw APIFailure(.assignedSubscriptionExtensionIneligible, "An assigned seat cannot be extended.")
        }
        let end = extend(subscription, days: wanted.days, at: now)
        subscriptions[subscription.id]?.extensionRequests[wanted.identifier] = end
        return extended(subscription, to: end)
    }

    private func extended(_ subscription: Subscription, to end: Date) -> APIResponse {
        let lineItem = transactions[subscription.current]?.payload.webOrderLineItemId
        return .object([
            ("originalTransactionId", .string(subscription.id)),
            ("webOrderLineItemId", lineItem.map { .string($0) }), ("success", .bool(true)),
            ("effectiveDate", end.milliseconds),
        ])
    }

    mutating func extendRenewalDates(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIResponse {
        let body = try request.fields()
        let wanted = try ExtensionRequest(body)
        guard UUID(text: wanted.identifier) != nil else {
            throw APIFailure(.invalidRequestIdentifier, "requestIdentifier is not a UUID.")
        }
        let product = try body.string("productId", or: .invalidProductId)
        guard catalogue.product(product)?.subscription != nil else {
            throw APIFailure(.invalidProductId, "productId is no auto-renewable subscription of this app.")
        }
        let storefronts = try body.stringsIfPresent("storefrontCountryCodes", or: .invalidStorefrontCountryCode)
        if storefronts?.isEmpty == true {
            throw APIFailure(.invalidEmptyStorefrontCountryCodeList, "storefrontCountryCodes is empty.")
        }
        for code in storefronts ?? [] where !code.isThreeLetterCode {
            throw APIFailure(.invalidStorefrontCountryCode, "A storefront is an ISO 3166-1 alpha-3 code.")
        }
        // A repeated identifier means the same request, which continues.
        if massExtension(wanted.identifier) == nil {
            do {
                _ = try extendAll(
                    product, days: wanted.days, storefronts: storefronts, request: wanted.identifier, at: now)
            } catch { throw APIFailure(.generalInternal, error.message) }
        }
        return .object([("requestIdentifier", .string(wanted.identifier))])
    }

    func massExtensionStatus(_ request: APIRequest) throws(APIFailure) -> APIResponse {
        let product = request.path["productId"] ?? ""
        try catalogue.checkProduct(product)
        let identifier = request.path["requestIdentifier"] ?? ""
        guard UUID(text: identifier) != nil else {
            throw APIFailure(.invalidRequestIdentifier, "The request identifier is not a UUID.")
        }
        guard let job = massExtension(identifier), job.product == product else {
            throw APIFailure(.statusRequestNotFound, "There is no such request for that product.")
        }
        var members: [(String, APIBody?)] = [
            ("requestIdentifier", .string(job.request)), ("complete", .bool(job.completed != nil)),
        ]
        if let completed = job.completed {
            members += [
                ("completeDate", completed.milliseconds), ("succeededCount", .integer(job.succeeded)),
                ("failedCount", .integer(job.failed)),
            ]
        }
        return .object(members)
    }

    /// Returns the mass extension with a request identifier. UUIDs are compared without regard to case, because only
    /// Apple's Swift library writes them in upper case.
    private func massExtension(_ identifier: String) -> MassExtension? {
        if let exact = massExtensions[identifier] { return exact }
        let uuid = UUID(text: identifier)
        return massExtensions.first { UUID(text: $0.key) == uuid }?.value
    }
}
