import AppStoreModels
import Basics
import Entitlements
import Foundation
import StoreSimulator

@testable import CounterfoilServer

/// What a customer paid: the sums of the server must be those of the simulator's transactions.
enum SpendLaw {
    /// The sums as texts, one for each currency, sorted.
    static func sums(of facts: CustomerFacts, asOf: Date) -> [String] {
        var json = JSONWriter()
        CustomerSpend(facts, asOf: asOf).write(to: &json)
        return APIValue(json: Data(json.bytes))["items"].items.map { item in
            ["currency", "paid_milliunits", "refunded_milliunits", "payments"].map { item[$0].text ?? "?" }
                .joined(separator: " ")
        }.sorted()
    }

    /// The same sums of a customer's transactions in the simulator.
    static func sums(of customer: String, in simulator: Simulator) -> [String] {
        let payloads = simulator.core.read(.production) { store, _ in
            (store.customers[customer]?.transactions ?? []).compactMap { store.transactions[$0]?.payload }
        }
        let paid = payloads.filter { $0.inAppOwnershipType == .purchased && ($0.price ?? 0) > 0 }
        return Dictionary(grouping: paid) { $0.currency ?? "?" }.map { currency, payments in
            let total = payments.reduce(Int128(0)) { $0 + Int128($1.price ?? 0) }
            let refunded = payments.reduce(Int128(0)) { sum, payment in
                guard payment.revocationDate != nil else { return sum }
                let share = Int128(payment.revocationPercentage ?? 100_000)
                return sum + (Int128(payment.price ?? 0) * share + 50_000) / 100_000
            }
            return "\(currency) \(Int64(clamping: total)) \(Int64(clamping: refunded)) \(payments.count)"
        }.sorted()
    }
}
