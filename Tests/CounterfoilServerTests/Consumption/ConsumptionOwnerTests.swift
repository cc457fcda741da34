import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Consumption requests after a merge or an erasure` {
    @Test(arguments: [true, false])
    func `Consent or its refusal applies to the account into which the customer is merged`(
        _ consents: Bool
    ) async throws {
        try await World.run(server: { configuration in
            configuration.keys = [World.backend]
            configuration.apps[0].consumption = ConsumptionPolicy(defaultConsent: !consents)
        }) { world in
            world.simulator.configure { $0.refundDecision = .byCommand }
            let token = UUID()
            let anonymous = token.uuidString.lowercased()
            let bought = try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.coins.100", appAccountToken: AppAccountToken(token)))
            try await world.waitUntilIdle()
            let id = try #require(bought.transactionID)
            let usage = ["customer_consented": consents]
            try #require(try await world.call(.POST, "/v1/customers/\(anonymous)/usage", usage).status == 204)
            let merge = ["from": anonymous]
            try #require(try await world.call(.POST, "/v1/customers/account/merge", merge).status == 200)
            let preview = try await world.call(
                .GET, "/v1/customers/account/consumption/preview?transaction_id=\(id)")
            #expect(preview.flag("would_send") == consents)
            try await world.simulator.perform(.requestRefund(customer: "anna"))
            try await world.waitUntilIdle()
            let inquiry = try await world.inquiry(about: id) { $0.state == .sent || $0.answer == "no_consent" }
            let expected: ConsumptionInquiry.State = consents ? .sent : .pending
            #expect(inquiry.state == expected)
        }
    }

    @Test func `Nothing is sent about the purchase of an erased customer, even with default consent`() async throws {
        try await World.run(server: { configuration in
            configuration.keys = [World.backend]
            configuration.apps[0].consumption = ConsumptionPolicy(defaultConsent: true)
        }) { world in
            world.simulator.configure { $0.refundDecision = .byCommand }
            let token = UUID()
            let bought = try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.coins.100", appAccountToken: AppAccountToken(token)))
            try await world.waitUntilIdle()
            let id = try #require(bought.transactionID)
            let customer = "/v1/customers/\(token.uuidString.lowercased())"
            let refusal = ["customer_consented": false]
            try #require(try await world.call(.POST, "\(customer)/usage", refusal).status == 204)
            try #require(try await world.call(.DELETE, customer).status == 200)
            try await world.simulator.perform(.requestRefund(customer: "anna"))
            try await world.waitUntilIdle()
            let inquiry = try await world.inquiry(about: id) { $0.answer != nil }
            #expect(inquiry.state == .pending && inquiry.answer == "no_consent" && inquiry.attempts == 0)
        }
    }
}
