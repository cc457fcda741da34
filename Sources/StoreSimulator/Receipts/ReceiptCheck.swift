package import AppStoreReceipts
package import Foundation

/// A request to `verifyReceipt`, the deprecated endpoint, with an authenticated receipt. Checking signatures is slow,
/// so it happens without the locked store.
package struct ReceiptCheck: Sendable {
    /// The response from the receipt alone, or the refusal.
    package let response: VerifyReceiptResponse
    let receipt: AppReceipt?
    let excludesOldTransactions: Bool

    /// Checks a request. `endpoint` contains the environment, the shared secrets and the root of the receipt authority.
    package init(method: String, body: Data, endpoint: VerifyReceiptEndpoint) {
        response = endpoint.response(method: method, body: body)
        guard response.status == .valid,
            let request = try? VerifyReceiptRequest(body: body, limits: endpoint.validator.limits),
            let read = try? UnverifiedReceipt(base64: request.receiptData, limits: endpoint.validator.limits),
            case .app(let receipt) = read.content
        else {
            // Transaction receipts are older than the simulated App Store. The response contains only their own
            // contents.
            receipt = nil
            excludesOldTransactions = false
            return
        }
        // The receipt can be trusted: the same text was authenticated just before.
        self.receipt = receipt
        excludesOldTransactions = request.excludesOldTransactions
    }

    /// Returns the response with the data of the store, as one line of JSON with the members in Apple's order. `sign`
    /// creates a receipt from its contents.
    package func json(with update: ReceiptUpdate, sign: (ReceiptContents) throws -> Data) throws -> String {
        switch (update, response.object) {
        case (.unknownCustomer, _):
            return VerifyReceiptResponse(status: .accountNotFound, environment: response.environment).json
        case (.latest(let latest), .object(let members)):
            let text = try sign(latest.receipt).base64EncodedString()
            return OrderedJSON.object(members + latest.members(receipt: text)).text
        case (_, let unchanged): return unchanged.text
        }
    }
}

/// The data that the store adds to the response from a receipt alone.
package enum ReceiptUpdate: Sendable {
    /// The receipt contains only transactions that the store never created or has cleared.
    case unknownCustomer
    /// The receipt contains no purchases, or its customer has no auto-renewable subscriptions.
    case nothing
    case latest(LatestReceipt)
}

/// What the App Store tells about a customer's purchases beside a receipt.
package struct LatestReceipt: Sendable {
    let transactions: OrderedJSON
    let renewals: OrderedJSON
    let receipt: ReceiptContents

    /// Returns the members of a response. `text` is the signed receipt.
    func members(receipt text: String) -> [OrderedJSON.Member] {
        [
            .init("latest_receipt_info", transactions), .init("latest_receipt", .string(text)),
            .init("pending_renewal_info", renewals),
        ]
    }
}

extension Store {
    /// Returns the data to add to the response for a receipt.
    package func update(of check: ReceiptCheck, at now: Date) -> ReceiptUpdate {
        guard let purchases = check.receipt?.purchases, !purchases.isEmpty else { return .nothing }
        let owner = purchases.lazy.compactMap { transactions[$0.transactionID]?.customer }.first
        guard let customer = owner.flatMap({ customers[$0] }) else { return .unknownCustomer }
        guard !customer.subscriptions.isEmpty else { return .nothing }
        return .latest(latestReceipt(of: customer, excludingOld: check.excludesOldTransactions, at: now))
    }

    func latestReceipt(of customer: Customer, excludingOld: Bool, at now: Date) -> LatestReceipt {
        LatestReceipt(
            transactions: latestReceiptInfo(of: customer, excludingOld: excludingOld),
            renewals: pendingRenewalInfo(of: customer, at: now), receipt: receiptContents(of: customer, at: now))
    }
}
