internal import AppStoreModels
internal import Basics
internal import Entitlements
internal import Foundation

/// The amounts that a customer paid, by currency, as signed by the App Store and without conversion. Purchases that
/// somebody else paid for and shared are excluded.
///
/// Refunds of single Advanced Commerce items are excluded too: facts do not have them. Only the refund that revokes the
/// whole transaction counts, by its percentage.
struct CustomerSpend {
    /// Thousandths of a currency unit. No sum of prices overflows `Int128`.
    private struct Amount {
        var paid: Int128 = 0
        var refunded: Int128 = 0
        /// The number of transactions with a price above zero.
        var payments: Int64 = 0
    }

    private var amounts: [String: Amount] = [:]
    /// The number of transactions without a known price: those of receipts, and those stored before prices were stored.
    private var withoutPrice: Int64 = 0
    /// The number of payments for periods that ended with an upgrade, without those that were refunded. The App Store
    /// does not sign the refund for their remaining time.
    private var upgraded: Int64 = 0

    init(_ facts: CustomerFacts, asOf now: Date) {
        for fact in facts.effective(asOf: now).transactions where fact.ownership == .purchased {
            guard let price = fact.price, let currency = fact.currency else {
                withoutPrice += 1
                continue
            }
            guard price > 0 else { continue }
            var amount = amounts[currency] ?? Amount()
            amount.paid += Int128(price)
            amount.payments += 1
            if fact.revocationDate != nil {
                amount.refunded += Int128(price.refundedAmount(percentage: fact.revocationPercentage))
            } else if fact.isUpgraded {
                upgraded += 1
            }
            amounts[currency] = amount
        }
    }

    func write(to json: inout JSONWriter) {
        json.object("spend") { json in
            // The currency with the most payments comes first.
            let sorted = amounts.sorted { ($1.value.payments, $0.key) < ($0.value.payments, $1.key) }
            json.member("items", sorted) { json, item in
                json.object { json in
                    json.member("currency", item.key)
                    json.member("paid_milliunits", Int64(clamping: item.value.paid))
                    json.member("refunded_milliunits", Int64(clamping: item.value.refunded))
                    json.member("payments", item.value.payments)
                }
            }
            json.member("without_price", withoutPrice)
            json.member("upgraded", upgraded)
        }
    }
}
