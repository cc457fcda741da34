internal import AppStoreModels
internal import AppStoreServer
internal import Basics
internal import Crypto
internal import Foundation

// The Advanced Commerce API, endpoints A1 to A6. `AdvancedCommerceChecks` validates a request alone; this file
// validates it against the state of the store.
//
// Some documented errors occur only if a fault injects them: 4000134 (every product has a price in every storefront),
// 4000136, 4000137 and 4000179 (the limits are not documented), 4000100, 4000116, 4000117 and 4000131 (their meaning is
// not documented), 4000147, 4030025 (it is not documented when the App Store requires the customer to ask) and the
// internal errors (5000000, 5000001).

extension Store {
    var advancedCommerceChecks: AdvancedCommerceChecks { AdvancedCommerceChecks(environment: environment) }

    // MARK: - The common first and last steps of the six endpoints

    /// Returns the transaction in the path. Throws unless the customer has purchased it.
    func purchasedTransaction(_ request: APIRequest) throws(APIFailure) -> StoredTransaction {
        let id = try AdvancedCommerceChecks.transactionID(request.path["transactionId"] ?? "")
        guard let transaction = transactions[id] else {
            throw APIFailure(.transactionIdNotFound, "There is no such transaction in \(environment.rawValue).")
        }
        guard transaction.payload.inAppOwnershipType == .purchased else {
            // Apple's list of codes for price changes has no more specific code.
            let isPrice = request.endpoint == .changeSubscriptionPrice
            throw APIFailure(
                isPrice ? .subscriptionNotEligible : .productNotOwned, "The customer has not bought the product.")
        }
        return transaction
    }

    /// Returns the subscription of a transaction.
    func subscription(of transaction: StoredTransaction) throws(APIFailure) -> Subscription {
        guard let subscription = subscriptions[transaction.payload.originalTransactionId] else {
            throw APIFailure(.subscriptionDoesNotExist, "The transaction does not belong to a subscription.")
        }
        return subscription
    }

    /// Returns the subscription of a transaction and its Advanced Commerce state. Throws `code` if it has none.
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

    /// Returns the current state as the response to a request that was carried out before; nil for a new request.
    /// Throws 4000097 for a different request with the same reference, unless `isRefused` is false because that code is
    /// not documented for the endpoint.
    func responseToRepeat(
        _ request: APIRequest, _ info: AdvancedCommerceRequestInfo, isRefused: Bool = true, at now: Date
    ) throws(APIFailure) -> APIResponse? {
        guard let record = advancedCommerceRequests[info.requestReferenceId.text] else { return nil }
        let fingerprint = try Self.fingerprint(request)
        if record.fingerprint == fingerprint, let transaction = transactions[record.transaction] {
            return answer(about: transaction, at: now)
        }
        guard isRefused else { return nil }
        throw APIFailure(.repeatedRequestReferenceId, "The requestReferenceId was used for another request.")
    }

    /// Records that the request was carried out, and returns the response.
    mutating func complete(
        _ request: APIRequest, _ info: AdvancedCommerceRequestInfo, _ transaction: String, at now: Date
    ) throws(APIFailure) -> APIResponse {
        recordRequest(info, fingerprint: try Self.fingerprint(request), transaction: transaction)
        guard let transaction = transactions[transaction] else {
            throw APIFailure(.transactionIdNotFound, "The transaction no longer exists.")
        }
        return answer(about: transaction, at: now)
    }

    /// Identifies the contents of a request. JSON encoders may order the members of a repeated request differently.
    private static func fingerprint(_ request: APIRequest) throws(APIFailure) -> String {
        let fields = try request.fields().fields
        let body: Data
        do { body = try JSONEncoder.sorted.encode(fields) } catch {
            throw APIFailure(.malformedPayload, "The body contains a value that cannot be compared.")
        }
        let digest = SHA256.hash(data: body).hexadecimal
        return "\(request.endpoint.name) \(request.path["transactionId"] ?? "") \(digest)"
    }

    /// Returns the signed transaction and, except for one-time charges, the signed renewal info.
    private func answer(about transaction: StoredTransaction, at now: Date) -> APIResponse {
        let subscription = subscriptions[transaction.payload.originalTransactionId]
        return .object([
            ("signedRenewalInfo", subscription.map { signable($0, at: now) }),
            ("signedTransactionInfo", signable(transaction, at: now)),
        ])
    }

    /// Replaces the Advanced Commerce state of a subscription and of its current transaction, because of a request.
    mutating func replace(
        _ state: AdvancedCommerceState, of subscription: Subscription, because info: AdvancedCommerceRequestInfo
    ) {
        var state = state
        state.renewalInfo.requestReferenceId = info.requestReferenceId.text
        state.renewalInfo.consistencyToken = identifiers.uuid()
        subscriptions[subscription.id]?.advancedCommerce = state
        guard transactions[subscription.current]?.payload.advancedCommerceInfo != state.transactionInfo else { return }
        change(subscription.current) { $0.advancedCommerceInfo = state.transactionInfo }
    }
}
