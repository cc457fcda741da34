import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

/// The members of a verifyReceipt response about purchases after the receipt.
extension `verifyReceipt clients and notifications of version 1` {
    /// What happens while the next period is paid in advance but has not begun.
    private static let changesInAdvance: [(change: [StoreCommand], latest: String)] = [
        ([], "the next period"),
        ([.approveRefund(customer: "anna")], "the running period"),
        ([.purchase(customer: "anna", product: "com.example.plus.monthly", introductory: false)], "the new product"),
        (
            [
                .approveRefund(customer: "anna"),
                .purchase(customer: "anna", product: "com.example.plus.monthly", introductory: false),
            ], "the new product"
        ),
    ]

    @Test(arguments: changesInAdvance.indices)
    func `Without old transactions, a period that was paid in advance but will not begin hides none that runs`(
        _ index: Int
    ) async throws {
        let (change, latest) = Self.changesInAdvance[index]
        try await World.run(
            simulator: {
                $0.createsReceiptAuthorityAtStart = true
                $0.production.maximumRenewalLeadTime = 86_400
            }, server: { $0.apps[0].sharedSecrets = [Secret(Self.secret)] }
        ) { world in
            let simulator = world.simulator
            try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly", introductory: false))
            let bought = try #require(try simulator.state(of: "anna").subscriptions.first)
            // A renewal is charged at least a tenth of the lead time before the period ends.
            try await simulator.advance(to: try #require(bought.expiresDate) - 3600)
            let ahead = try #require(
                simulator.core.read(.production) { store, _ in store.customers["anna"]?.transactions.last })
            #expect(ahead != bought.transactionID)
            for command in change { try await simulator.perform(command) }
            try await world.waitUntilIdle()

            let receipt = try simulator.receipt(of: "anna")
            let simulated = simulator.core.verifyReceipt(try body(receipt, secret: "counterfoil"), in: .production)
            let expected = transactions(APIResponse(status: Int(simulated.status), body: Data(simulated.body)))
            let last = simulator.core.read(.production) { store, _ in store.customers["anna"]?.transactions.last }
            let ids: [String: String?] = [
                "the next period": ahead, "the running period": bought.transactionID, "the new product": last,
            ]
            #expect(expected == [try #require(ids[latest] ?? nil)])
            let answer = try await world.call(
                .POST, "/verifyReceipt", data: body(receipt, secret: Self.secret), key: nil)
            #expect(transactions(answer) == expected)
        }
    }

    @Test func `pending_renewal_info says that a customer has not agreed to a price yet`() async throws {
        try await World.run(
            simulator: { $0.createsReceiptAuthorityAtStart = true },
            server: { $0.apps[0].sharedSecrets = [Secret(Self.secret)] }
        ) { world in
            try await world.simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            try await world.simulator.perform(
                .increasePrice(product: "com.example.premium.monthly", price: 12_990, consent: true))
            try await world.waitUntilIdle()
            let receipt = try world.simulator.receipt(of: "anna")
            let pending = try await world.call(
                .POST, "/verifyReceipt", data: body(receipt, secret: Self.secret), key: nil)
            #expect(pending.text("pending_renewal_info.0.price_consent_status") == "0")
            #expect(pending.text("pending_renewal_info.0.price_increase_status") == "0")
            try await world.simulator.perform(.acceptPrice(customer: "anna"))
            try await world.waitUntilIdle()
            let accepted = try await world.call(
                .POST, "/verifyReceipt", data: body(receipt, secret: Self.secret), key: nil)
            // Signed data do not say whether an accepted price needed consent.
            #expect(accepted.text("pending_renewal_info.0.price_consent_status") == nil)
            #expect(accepted.text("pending_renewal_info.0.price_increase_status") == "1")
        }
    }

    /// The reference for version 1 says that its receipt lists the latest 100 transactions.
    @Test func `latest_receipt_info lists the 100 newest purchases, and the receipt lists all`() async throws {
        try await World.run(
            simulator: { $0.createsReceiptAuthorityAtStart = true },
            server: { $0.apps[0].sharedSecrets = [Secret(Self.secret)] }
        ) { world in
            let simulator = world.simulator
            let subscribed = try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly"))
            let oldest = try #require(subscribed.transactionID)
            try await simulator.advance(by: 60)
            for _ in 0..<100 {
                try await simulator.perform(.purchase(customer: "anna", product: "com.example.coins.100"))
            }
            try await world.waitUntilIdle()
            let receipt = try simulator.receipt(of: "anna")
            let request = try body(receipt, secret: "counterfoil", excludingOld: false)
            let simulated = simulator.core.verifyReceipt(request, in: .production)
            let answers = [
                APIResponse(status: Int(simulated.status), body: Data(simulated.body)),
                try await world.call(
                    .POST, "/verifyReceipt", data: body(receipt, secret: Self.secret, excludingOld: false), key: nil),
            ]
            for answer in answers {
                let latest = try #require(transactions(answer))
                #expect(Set(latest).count == 100 && latest.count == 100 && !latest.contains(oldest))
                #expect(answer.count("receipt.in_app") == 101)
                #expect(answer.count("pending_renewal_info") == 1)
            }
        }
    }

    private func transactions(_ answer: APIResponse) -> [String]? {
        (answer["latest_receipt_info"] as? [[String: Any]])?.compactMap { $0["transaction_id"] as? String }
    }

    private func body(_ receipt: String, secret: String, excludingOld: Bool = true) throws -> Data {
        try JSONSerialization.data(withJSONObject: [
            "receipt-data": receipt, "password": secret, "exclude-old-transactions": excludingOld,
        ])
    }
}
