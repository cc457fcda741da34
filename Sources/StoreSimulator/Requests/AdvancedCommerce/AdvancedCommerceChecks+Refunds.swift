package import AppStoreModels

// Endpoints A5 and A6.

extension AdvancedCommerceChecks {
    private static let refunds = common.union([
        .simulateRefundDeclineOnlyInSandbox, .refundAmountWithoutCustom, .nullRefundRisking, .invalidRefundType,
        .invalidRefundReason, .negativeRefundAmount, .nullRefundAmount, .nullRefundReason, .nullRefundType,
    ])

    /// Checks a request for a refund of items (A5).
    package func requestRefund(_ bytes: [UInt8]) throws(APIFailure) -> AdvancedCommerceRequestRefundRequest {
        let documented = Self.refunds.union([.partialSimulateRefundDecline])
        return try Self.check(bytes, documented) { (body) throws(APIFailure) in
            try Self.checkCurrency(body, isRequired: false)
            _ = try body.bool("refundRiskingPreference", or: .nullRefundRisking)
            let items = try body.objects("items", or: .malformedPayload)
            guard !items.isEmpty else { throw body.failure(.malformedPayload, "items", "is empty") }
            var skus: [String] = []
            var declines = 0
            for item in items {
                skus.append(try Self.sku(item))
                _ = try item.bool("revoke", or: .malformedPayload)
                if try checkRefund(item).reason == .simulateRefundDecline { declines += 1 }
            }
            try Self.checkUnique(skus, in: body, or: .malformedPayload)
            guard declines == 0 || declines == items.count else {
                throw body.failure(.partialSimulateRefundDecline, "items", "simulate a decline for some items only")
            }
        }
    }

    /// Checks a request to revoke a subscription (A6). Only full and prorated refunds are possible.
    package func revoke(_ bytes: [UInt8]) throws(APIFailure) -> AdvancedCommerceSubscriptionRevokeRequest {
        try Self.check(bytes, Self.refunds) { (body) throws(APIFailure) in
            _ = try body.bool("refundRiskingPreference", or: .nullRefundRisking)
            guard try checkRefund(body).type != .custom else {
                throw body.failure(.invalidRefundType, "refundType", "is neither FULL nor PRORATED")
            }
        }
    }

    private func checkRefund(
        _ body: RequestBody
    ) throws(APIFailure) -> (type: AdvancedCommerceRefundType, reason: AdvancedCommerceRefundReason) {
        let type = try body.value(
            "refundType", of: [AdvancedCommerceRefundType.full, .prorated, .custom], missing: .nullRefundType,
            or: .invalidRefundType)
        let reason = try body.value(
            "refundReason", of: Self.reasons, missing: .nullRefundReason, or: .invalidRefundReason)
        guard reason != .simulateRefundDecline || isSandbox else {
            throw body.failure(.simulateRefundDeclineOnlyInSandbox, "refundReason", "is for the sandbox")
        }
        let amount = try body.intIfPresent("refundAmount", or: .malformedPayload)
        if let amount, type != .custom {
            throw body.failure(.refundAmountWithoutCustom, "refundAmount", "is \(amount), but refundType is not CUSTOM")
        }
        if type == .custom {
            guard let amount else { throw body.failure(.nullRefundAmount, "refundAmount", "is missing") }
            guard amount >= 0 else { throw body.failure(.negativeRefundAmount, "refundAmount", "is negative") }
        }
        return (type, reason)
    }

    private static let reasons: [AdvancedCommerceRefundReason] = [
        .unintendedPurchase, .fulfillmentIssue, .unsatisfiedWithPurchase, .legal, .other, .modifyItemsRefund,
        .simulateRefundDecline,
    ]
}
