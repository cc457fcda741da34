internal import AppStoreModels
internal import AppStoreReceipts
internal import Entitlements
internal import Foundation
internal import Ledger

/// The members of a `verifyReceipt` response that come from the ledger instead of the receipt.
///
/// For transactions that the receipt does not list, `web_order_line_item_id` is missing, and so is
/// `original_purchase_date` if the original transaction is unknown. Unlike Apple's responses, `pending_renewal_info` also
/// lists a subscription that was cancelled in its grace period, as cancelled: the ledger does not know when that was.
struct LatestReceipt {
    let lineages: [Lineage]
    let receipt: AppReceipt
    let excludesOld: Bool
    let engine: EntitlementEngine
    let now: Date

    /// The maximum number of entries. A notification of version 1 lists as many in its `unified_receipt`.
    private static let mostTransactions = 100

    /// Whether there are auto-renewable subscriptions. Without them, the response contains only the receipt.
    var hasAutoRenewables: Bool {
        lineages.contains { $0.transactions.contains { $0.type == .autoRenewableSubscription } }
    }

    /// `latest_receipt_info`, newest first.
    var transactions: OrderedJSON {
        let listed = Dictionary(
            receipt.purchases.map { (ExactText($0.transactionID), $0) }, uniquingKeysWith: { first, _ in first })
        var all: [(fact: TransactionFact, original: Date?)] = []
        for lineage in lineages {
            let original = lineage.transactions.first {
                $0.transactionID.isExactly(lineage.originalTransactionID)
            }
            var facts = lineage.transactions.filter { fact in
                // The App Store drops consumables from receipts once the app has finished them.
                fact.type != .consumable || listed[ExactText(fact.transactionID)] != nil
            }
            if excludesOld {
                let latest = latestPeriods(of: lineage)
                facts = facts.filter { !$0.isSubscription || latest.contains(ExactText($0.transactionID)) }
            }
            all += facts.map { ($0, original?.purchaseDate) }
        }
        all.sort { $1.fact.wasPurchased(before: $0.fact) }
        return .array(
            all.prefix(Self.mostTransactions).map { fact, original -> OrderedJSON in
                let purchase = listed[ExactText(fact.transactionID)]
                let members = ReceiptMembers(
                    fact, originalPurchaseDate: original ?? purchase?.originalPurchaseDate,
                    webOrderLineItemID: purchase?.webOrderLineItemID.map { String($0) })
                return .object(members.all)
            })
    }

    /// The transaction of a subscription's latest period. A period that was paid in advance counts, unless an upgrade
    /// replaced it or it was refunded before it began: a client that sees only that one would end the running period.
    private func latestPeriods(of lineage: Lineage) -> Set<ExactText> {
        let facts = lineage.facts()
        let instant = facts.transactions.map(\.purchaseDate).reduce(facts.evaluationDate(now: now)) { max($0, $1) }
        return Set(engine.state(of: facts, asOf: instant).subscriptions.map { ExactText($0.transactionID) })
    }

    /// `pending_renewal_info`: the renewal status of each subscription.
    var renewals: OrderedJSON {
        .array(lineages.compactMap(\.renewal).map { .object(Self.members($0)) })
    }

    private static func members(_ fact: RenewalFact) -> [OrderedJSON.Member] {
        var members = ReceiptMembers()
        members.add("auto_renew_product_id", fact.autoRenewProductID)
        members.add("original_transaction_id", fact.originalTransactionID)
        members.add("product_id", fact.productID)
        members.add("auto_renew_status", fact.willRenew ? "1" : "0")
        members.add("expiration_intent", fact.expirationIntent.map { String($0.rawValue) })
        if fact.expirationIntent == .billingError || fact.isInBillingRetry {
            members.add("is_in_billing_retry_period", fact.isInBillingRetry ? "1" : "0")
        }
        members.add("grace_period_expires_date", fact.gracePeriodExpiresDate)
        // An increase that needs no consent is never pending. Signed data do not say whether an accepted one needed it.
        if fact.priceIncreaseStatus == .pending { members.add("price_consent_status", "0") }
        members.add("price_increase_status", fact.priceIncreaseStatus.map { String($0.rawValue) })
        members.addOffer(fact.offerType, fact.offerIdentifier)
        return members.all
    }
}

extension TransactionFact {
    fileprivate var isSubscription: Bool { type == .autoRenewableSubscription }
}
