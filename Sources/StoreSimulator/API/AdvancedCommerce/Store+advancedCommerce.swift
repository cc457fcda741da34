internal import AppStoreModels
internal import AppStoreServer
internal import Crypto
internal import Foundation

// The Advanced Commerce API, A1 to A6: AdvancedCommerceChecks says what is wrong with a request by itself, what follows
// here is what the store knows.
//
// Some documented failures cannot come from this store, and are there by injection only: 4000134 (every product has a
// price in every storefront), 4000136, 4000137 and 4000179 (no numbers are documented for the limits), 4000100, 4000116,
// 4000117 and 4000131 (it is not known what they are about), 4000147, 4030025 (when the App Store wants the customer to
// ask is not documented) and the internal errors (5000000, 5000001).

extension Store {
    mutating func answerAdvancedCommerce(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIAnswer {
        switch request.endpoint.name {
        case AppStoreEndpoint.cancelSubscription.name: return try cancelSubscription(request, at: now)
        case AppStoreEndpoint.changeSubscriptionMetadata.name: return try changeMetadata(request, at: now)
        case AppStoreEndpoint.changeSubscriptionPrice.name: return try changePrice(request, at: now)
        case AppStoreEndpoint.migrateSubscription.name: return try migrate(request, at: now)
        case AppStoreEndpoint.requestRefund.name: return try requestRefund(request, at: now)
        case AppStoreEndpoint.revokeSubscription.name: return try revokeSubscription(request, at: now)
        default: return try answerRetention(request, at: now)
        }
    }

    var advancedCommerceChecks: AdvancedCommerceChecks { AdvancedCommerceChecks(environment: environment) }
}

// What all six begin and end with.
extension Store {
    /// The transaction in the path, which the customer has bought.
    func bought(_ request: APIRequest) throws(APIFailure) -> StoredTransaction {
        let id = try AdvancedCommerceChecks.transactionID(request.path["transactionId"] ?? "")
        guard let transaction = transactions[id] else {
            throw APIFailure(.transactionIdNotFound, "There is no such transaction in \(environment.rawValue).")
        }
        guard transaction.payload.inAppOwnershipType == .purchased else {
            // The list of codes for a change of price has no other one.
            let isPrice = request.endpoint.name == AppStoreEndpoint.changeSubscriptionPrice.name
            throw APIFailure(
                isPrice ? .subscriptionNotEligible : .productNotOwned, "The customer has not bought the product.")
        }
        return transaction
    }

    /// The subscription that a transaction is of.
    func subscription(of transaction: StoredTransaction) throws(APIFailure) -> Subscription {
        guard let subscription = subscriptions[transaction.payload.originalTransactionId] else {
            throw APIFailure(.subscriptionDoesNotExist, "The transaction is of no subscription.")
        }
        return subscription
    }

    /// The same with contents of the developer's.
    func advancedCommerce(
        _ transaction: StoredTransaction, or code: APIErrorCode = .subscriptionNotEligible
    ) throws(APIFailure) -> (Subscription, AdvancedCommerceState) {
        let subscription = try subscription(of: transaction)
        guard let state = subscription.advancedCommerce else {
            throw APIFailure(code, "The subscription is not an Advanced Commerce one.")
        }
        return (subscription, state)
    }

    func check(
        _ info: AdvancedCommerceRequestInfo, storefront: String?, of transaction: StoredTransaction
    ) throws(APIFailure) {
        let home = customers[transaction.customer]?.storefront
        guard storefront == nil || storefront == home else {
            throw APIFailure(.mismatchedStorefront, "The customer's storefront is \(home ?? "unknown").")
        }
        let state = subscriptions[transaction.payload.originalTransactionId]?.advancedCommerce
        guard info.consistencyToken == nil || info.consistencyToken == state?.renewalInfo.consistencyToken else {
            throw APIFailure(.invalidConsistencyToken, "The subscription has changed since, or never had that token.")
        }
    }

    /// The answer to a request that was carried out before: the present state. nil for a new request; 4000097 for another
    /// request with the same reference, except where that is not documented.
    func repetition(
        _ request: APIRequest, _ info: AdvancedCommerceRequestInfo, isRefused: Bool = true, at now: Date
    ) throws(APIFailure) -> APIAnswer? {
        guard let record = advancedCommerceRequests[info.requestReferenceId.text] else { return nil }
        if record.fingerprint == Self.fingerprint(request), let transaction = transactions[record.transaction] {
            return answer(about: transaction, at: now)
        }
        guard isRefused else { return nil }
        throw APIFailure(.repeatedRequestReferenceId, "The requestReferenceId was used for another request.")
    }

    /// Notes that the request was carried out, and answers it.
    mutating func finish(
        _ request: APIRequest, _ info: AdvancedCommerceRequestInfo, _ transaction: String, at now: Date
    ) throws(APIFailure) -> APIAnswer {
        note(info, Self.fingerprint(request), transaction)
        guard let transaction = transactions[transaction] else {
            throw APIFailure(.transactionIdNotFound, "The transaction is gone.")
        }
        return answer(about: transaction, at: now)
    }

    private static func fingerprint(_ request: APIRequest) -> String {
        let digest = SHA256.hash(data: request.body).map { String($0, radix: 16) }.joined(separator: ".")
        return "\(request.endpoint.name) \(request.path["transactionId"] ?? "") \(digest)"
    }

    /// A one-time charge has no renewal info.
    private func answer(about transaction: StoredTransaction, at now: Date) -> APIAnswer {
        let subscription = subscriptions[transaction.payload.originalTransactionId]
        return APIAnswer(
            body: .object([
                ("signedRenewalInfo", subscription.map { signable($0, at: now) }),
                ("signedTransactionInfo", signable(transaction, at: now)),
            ]))
    }

    /// Puts other contents in the place of a subscription's, and of its current transaction's.
    mutating func replace(_ state: AdvancedCommerceState, of subscription: Subscription) {
        var state = state
        state.renewalInfo.consistencyToken = identifiers.uuid()
        subscriptions[subscription.id]?.advancedCommerce = state
        guard transactions[subscription.current]?.payload.advancedCommerceInfo != state.transactionInfo else { return }
        change(subscription.current) { $0.advancedCommerceInfo = state.transactionInfo }
    }
}
