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
        switch request.endpoint {
        case .transaction: return try transactionInfo(request, at: now)
        case .transactionHistory: return try history(request, .v2, at: now)
        case .transactionHistoryV1: return try history(request, .v1, at: now)
        case .subscriptionStatuses: return try statuses(request, at: now)
        case .appTransaction: return try appTransactionInfo(request, at: now)
        case .order: return try orderLookup(request, at: now)
        case .refundHistory: return try refundHistory(request, at: now)
        case .refundHistoryV1: return try refundHistoryV1(request, at: now)
        case .renewalExtensionStatus: return try massExtensionStatus(request)
        case .testNotification: return try testNotificationStatus(request, at: now)
        case .notificationHistory: return try notificationHistory(request, at: now)
        case .customerGroups: return try customerGroups(request)
        case .groupMembers: return try groupMembers(request)
        case .finishTransaction: return try finishTransaction(request)
        case .setAppAccountToken: return try setAppAccountToken(request, at: now)
        case .sendConsumption: return try sendConsumption(request, at: now)
        case .sendConsumptionV1: return try sendConsumptionV1(request, at: now)
        case .extendRenewalDate: return try extendRenewalDate(request, at: now)
        case .extendRenewalDates: return try extendRenewalDates(request, at: now)
        case .requestTestNotification: return try sendTestNotification(at: now)
        case .cancelSubscription: return try cancelSubscription(request, at: now)
        case .changeSubscriptionMetadata: return try changeMetadata(request, at: now)
        case .changeSubscriptionPrice: return try changePrice(request, at: now)
        case .migrateSubscription: return try migrate(request, at: now)
        case .requestRefund: return try requestRefund(request, at: now)
        case .revokeSubscription: return try revokeSubscription(request, at: now)
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
