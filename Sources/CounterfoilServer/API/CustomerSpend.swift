internal import AppStoreModels
internal import Basics
internal import Entitlements
internal import Foundation

/// What a customer paid, by currency, as the App Store signed it, and never converted. What somebody else paid and shared is
/// not in it.
struct CustomerSpend {
    /// Thousandths of a currency, in a type that no sum of hostile prices overflows.
    private struct Amount {
        var paid: Int128 = 0
        var refunded: Int128 = 0
        /// How many transactions had a price above zero.
        var payments: Int64 = 0
    }

    private var amounts: [String: Amount] = [:]
    /// How many transactions have no price that is known: those of receipts, and of records that were made before prices were
    /// kept.
    private var withoutPrice: Int64 = 0
    /// How many periods ended with an upgrade. What the App Store gave back for the rest of them is signed nowhere.
    private var upgraded: Int64 = 0

    init(_ facts: CustomerFacts, asOf now: Date) {
        for fact in facts.counting(asOf: now).transactions where fact.ownership == .purchased {
            guard let price = fact.price, let currency = fact.currency else {
                withoutPrice += 1
                continue
            }
            guard price > 0 else { continue }
            var amount = amounts[currency] ?? Amount()
            amount.paid += Int128(price)
            amount.payments += 1
            if fact.revocationDate != nil {
                amount.refunded += Int128(price.refundedPart(fact.revocationPercentage))
            } else if fact.isUpgraded {
                upgraded += 1
            }
            amounts[currency] = amount
        }
    }

    func write(to json: inout JSONWriter) {
        json.object("spend") { json in
            // The currency with the most payments first.
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
