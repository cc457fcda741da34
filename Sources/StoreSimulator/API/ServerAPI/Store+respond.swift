internal import AppStoreModels
internal import AppStoreServer
package import Foundation

// The App Store Server API, with one handler for each endpoint. A handler first validates the request alone, then
// against the state of the store.
//
// Some documented errors do not occur in a store that sells one app and never deletes accounts: AccountNotFound
// (4040001, 4040002), AppNotFound (4040003, 4040004), InvalidAppIdentifier (4000002),
// OriginalTransactionIdNotFoundRetryable (4040006), AppTransactionDoesNotExist (4040019), the refusals 4030004 and
// 4030005 of a whole mass extension, and the internal errors (5000000, 5000001). Faults can inject them.

extension Store {
    /// Responds to a request to one of the App Store's APIs, after processing all events that are due by `date`.
    package mutating func respond(to request: APIRequest, at date: Date) throws(APIFailure) -> APIResponse {
        let now = date.wholeMilliseconds
        run(until: now)
        if let only = request.endpoint.environment, only != environment {
            throw APIFailure(status: 404, "\(request.endpoint.title) does not exist in \(environment.rawValue).")
        }
        switch request.endpoint.name {
        case AppStoreEndpoint.transaction.name: return try transactionInfo(request, at: now)
        case AppStoreEndpoint.transactionHistory.name: return try history(request, .v2, at: now)
        case AppStoreEndpoint.transactionHistoryV1.name: return try history(request, .v1, at: now)
        case AppStoreEndpoint.subscriptionStatuses.name: return try statuses(request, at: now)
        case AppStoreEndpoint.appTransaction.name: return try appTransactionInfo(request, at: now)
        case AppStoreEndpoint.order.name: return try orderLookup(request, at: now)
        case AppStoreEndpoint.refundHistory.name: return try refundHistory(request, at: now)
        case AppStoreEndpoint.refundHistoryV1.name: return try refundHistoryV1(request, at: now)
        case AppStoreEndpoint.renewalExtensionStatus.name: return try massExtensionStatus(request)
        case AppStoreEndpoint.testNotification.name: return try testNotificationStatus(request, at: now)
        case AppStoreEndpoint.notificationHistory.name: return try notificationHistory(request, at: now)
        case AppStoreEndpoint.customerGroups.name: return try customerGroups(request)
        case AppStoreEndpoint.groupMembers.name: return try groupMembers(request)
        case AppStoreEndpoint.finishTransaction.name: return try finishTransaction(request)
        case AppStoreEndpoint.setAppAccountToken.name: return try setAppAccountToken(request, at: now)
        case AppStoreEndpoint.sendConsumption.name: return try sendConsumption(request, at: now)
        case AppStoreEndpoint.sendConsumptionV1.name: return try sendConsumptionV1(request, at: now)
        case AppStoreEndpoint.extendRenewalDate.name: return try extendRenewalDate(request, at: now)
        case AppStoreEndpoint.extendRenewalDates.name: return try extendRenewalDates(request, at: now)
        case AppStoreEndpoint.requestTestNotification.name: return try sendTestNotification(at: now)
        case AppStoreEndpoint.cancelSubscription.name: return try cancelSubscription(request, at: now)
        case AppStoreEndpoint.changeSubscriptionMetadata.name: return try changeMetadata(request, at: now)
        case AppStoreEndpoint.changeSubscriptionPrice.name: return try changePrice(request, at: now)
        case AppStoreEndpoint.migrateSubscription.name: return try migrate(request, at: now)
        case AppStoreEndpoint.requestRefund.name: return try requestRefund(request, at: now)
        case AppStoreEndpoint.revokeSubscription.name: return try revokeSubscription(request, at: now)
        default: return try respondToRetentionRequest(request, at: now)
        }
    }

    /// Returns a transaction with the current signed date.
    func signable(_ transaction: StoredTransaction, at now: Date) -> APIBody {
        var payload = transaction.payload
        payload.signedDate = signingDate(at: now)
        return .transaction(payload)
    }

    /// Returns the renewal info of a subscription with the current signed date.
    func signable(_ subscription: Subscription, at now: Date) -> APIBody {
        var info = renewalInfo(of: subscription, at: now)
        info.signedDate = signingDate(at: now)
        return .renewalInfo(info)
    }

    /// Returns the transactions with the given identifiers, with the current signed date.
    func signable(_ ids: some Sequence<String>, at now: Date) -> APIBody {
        .array(ids.compactMap { id in transactions[id].map { signable($0, at: now) } })
    }

    /// The Apple ID of the app in responses; nil in the sandbox, where Apple omits it.
    var appAppleIDInResponses: APIBody? { isSandbox ? nil : .integer(app.appAppleID) }
}

extension Date {
    /// The date as responses contain it, in milliseconds since 1970. Every date of the store can be represented.
    var milliseconds: APIBody { .integer(millisecondsSince1970 ?? 0) }
}
