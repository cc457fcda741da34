package import AppStoreModels
package import Foundation

/// A transaction, with what Apple knows about it but does not sign.
package struct StoredTransaction: Sendable, Codable {
    /// What is signed, but for `signedDate`, which says when.
    @Packed package var payload: JWSTransactionDecodedPayload
    package let customer: String
    /// What the customer finds on the receipt. Products bought together would share it.
    package let order: String
    /// Where it stands in the order of all changes: what the history is sorted by.
    package var revision: Int
    /// Whether the app has finished it.
    package var isFinished = false
    /// Where a refund stands.
    @Boxed package var refund: Refund? = nil
    /// The transaction of the purchaser that this one lets a family member use.
    package var sharedFrom: String?

    package var isSubscription: Bool { payload.type == .autoRenewableSubscription }

    package struct Refund: Sendable, Codable, Hashable {
        package enum State: String, Sendable, Codable { case requested, granted, declined, reversed }
        package var state: State
        package var requested: Date?
        /// When the store decides if nobody does before.
        package var due: Date?
        package var reason: ConsumptionRequestReason?
        /// What the customer wrote, which the sandbox takes as orders.
        package var note: String?
        /// What the developer would like, if asked and answered.
        package var preference: RefundPreference?
        package var consumption: Int32?
        package var decided: Date?
        /// The items that an Advanced Commerce request is about; nil for the whole transaction.
        package var items: [AdvancedCommerceRequestRefundItem]?
        /// The indices of the transaction's items that the last refund was of; nil for a refund of the whole transaction.
        package var refundedItems: [Int]?
    }
}
