package import AppStoreModels
package import Foundation

/// A transaction's payload, and data about it that the App Store does not sign.
package struct StoredTransaction: Sendable, Codable {
    /// The payload to sign. `signedDate` is set at signing.
    @Packed package var payload: JWSTransactionDecodedPayload
    package let customer: String
    /// The order identifier, which customers find on the App Store's receipt. Products bought together would share it.
    package let order: String
    /// The value of the store's `revision` at the last change. The transaction history is sorted by it.
    package var revision: Int
    /// Whether the app has finished the transaction.
    package var isFinished = false
    /// The state of the latest refund request or refund.
    @Boxed package var refund: Refund? = nil
    /// For a family member's transaction: the purchaser's transaction that is shared.
    package var sharedFrom: String?

    package var isSubscription: Bool { payload.type == .autoRenewableSubscription }

    package struct Refund: Sendable, Codable, Hashable {
        package enum State: String, Sendable, Codable { case requested, granted, declined, reversed }
        package var state: State
        package var requested: Date?
        /// When the store decides the request, unless a command decides it earlier.
        package var due: Date?
        package var reason: ConsumptionRequestReason?
        /// The customer's note. In the sandbox, certain notes determine the decision.
        package var note: String?
        /// The developer's preference from the answer to the consumption request.
        package var preference: RefundPreference?
        package var consumption: Int32?
        package var decided: Date?
        /// The items of a requested Advanced Commerce refund; nil for the whole transaction.
        package var items: [AdvancedCommerceRequestRefundItem]?
        /// The indices of the items that the last refund covered; nil if it covered the whole transaction.
        package var refundedItems: [Int]?
    }
}
