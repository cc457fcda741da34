package import AppStoreReceipts
package import Foundation

/// A request to `verifyReceipt`, the retired endpoint, with its receipt authenticated. Needs no store: checking
/// signatures takes time.
package struct ReceiptCheck: Sendable {
    /// What the receipt says by itself, or why it is refused.
    package let response: VerifyReceiptResponse
    let receipt: AppReceipt?
    let excludesOldTransactions: Bool

    /// Checks a request. The endpoint has the environment, the shared secrets and the receipt authority's root.
    package init(method: String = "POST", body: Data, endpoint: VerifyReceiptEndpoint) {
        response = endpoint.response(method: method, body: body)
        guard response.status == .valid,
            let request = try? VerifyReceiptRequest(body: body, limits: endpoint.validator.limits),
            let read = try? UnverifiedReceipt(base64: request.receiptData, limits: endpoint.validator.limits),
            case .app(let receipt) = read.content
        else {
            // Transaction receipts are older than the App Store that is simulated: they get what they say themselves.
            receipt = nil
            excludesOldTransactions = false
            return
        }
        // Not unverified any more: the same text was authenticated just before.
        self.receipt = receipt
        excludesOldTransactions = request.excludesOldTransactions
    }
}

/// What the store adds to what a receipt says by itself.
package struct ReceiptUpdate: Sendable {
    enum Account: Sendable {
        /// The receipt lists nothing, so nobody knows whose it is, nor is there anything to tell.
        case none
        /// The receipt lists what the store has never sold, or has cleared.
        case unknown
        /// `latest` has nothing in it without auto-renewable subscriptions.
        case known(latest: Latest?)
    }

    struct Latest: Sendable {
        let transactions: OrderedJSON
        let renewals: OrderedJSON
        let receipt: ReceiptContents
    }

    let account: Account
}

extension Store {
    /// What there is to add to a receipt.
    package func update(of check: ReceiptCheck, at now: Date) -> ReceiptUpdate {
        guard let purchases = check.receipt?.purchases, !purchases.isEmpty else { return ReceiptUpdate(account: .none) }
        let owner = purchases.lazy.compactMap { transactions[$0.transactionID]?.customer }.first
        guard let customer = owner.flatMap({ customers[$0] }) else { return ReceiptUpdate(account: .unknown) }
        guard !customer.subscriptions.isEmpty else { return ReceiptUpdate(account: .known(latest: nil)) }
        let latest = ReceiptUpdate.Latest(
            transactions: latestReceiptInfo(of: customer, excludingOld: check.excludesOldTransactions),
            renewals: pendingRenewalInfo(of: customer, at: now), receipt: receiptContents(of: customer, at: now))
        return ReceiptUpdate(account: .known(latest: latest))
    }
}
