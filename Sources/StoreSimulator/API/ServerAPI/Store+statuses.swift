internal import AppStoreModels
internal import Foundation

extension Store {
    /// Returns the latest transaction and the renewal info of each of a customer's subscriptions, by group.
    func statuses(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIResponse {
        let id = try request.identifier("anyTransactionId", or: .invalidTransactionId)
        let wanted = Set(try QueryParameters(request.query).ints("status", in: 1...5, or: .invalidStatus))
        let customer = try account(id)
        // Groups in the order in which the customer subscribed to them.
        var groups: [(id: String, items: [APIBody])] = []
        for subscription in subscriptions(of: customer.id) {
            let status = Int64(status(of: subscription, at: now).rawValue)
            guard wanted.isEmpty || wanted.contains(status), let current = transactions[subscription.current] else {
                continue
            }
            let item = APIBody.object([
                ("status", .integer(status)), ("originalTransactionId", .string(subscription.id)),
                ("signedTransactionInfo", signable(current, at: now)),
                ("signedRenewalInfo", signable(subscription, at: now)),
            ])
            if let index = groups.firstIndex(where: { $0.id == subscription.group }) {
                groups[index].items.append(item)
            } else {
                groups.append((subscription.group, [item]))
            }
        }
        let data = groups.map { group in
            APIBody.object([
                ("subscriptionGroupIdentifier", .string(group.id)), ("lastTransactions", .array(group.items)),
            ])
        }
        return .object([
            ("environment", .string(environment.rawValue)), ("bundleId", .string(app.bundleID)),
            ("appAppleId", appAppleIDInResponses), ("data", .array(data)),
        ])
    }
}
