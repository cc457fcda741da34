import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `A simulated customer's account token` {
    @Test func `An account token depends on seed and name alone, and is the same in both environments`() throws {
        var (first, second) = (Shop(), Shop(.sandbox))
        var other = Shop(seed: 2)
        for name in ["anna", "ben"] { try first.buy("coins", by: name) }
        for name in ["carl", "ben", "anna"] { try second.buy("coins", by: name) }
        try other.buy("coins", by: "anna")
        let tokens = try ["anna", "ben"].map { try #require(first.store.customers[$0]?.accountToken) }
        #expect(tokens == ["anna", "ben"].map { second.store.customers[$0]?.accountToken })
        #expect(Set(tokens).count == 2)
        #expect(other.store.customers["anna"]?.accountToken != tokens[0])
        // Canonically equivalent names are the same customer.
        try first.buy("coins", by: "jos\u{E9}")
        try second.buy("coins", by: "jose\u{301}")
        let token = first.store.customers["jos\u{E9}"]?.accountToken
        #expect(token != nil && token == second.store.customers["jos\u{E9}"]?.accountToken)
        // The layout of RFC 9562, version 8.
        let text = try #require(token).uuidString
        #expect(text.wholeMatch(of: /[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/) != nil)
    }

    @Test func `Account tokens do not change the other identifiers of a seed`() throws {
        var (with, without) = (Shop(), Shop())
        let ids = try ["anna", "ben"].map { try with.buy("coins", by: $0) }
        let others = try ["anna", "ben"].map { name in
            try without.perform(
                .purchase(customer: name, product: "coins", introductory: false, appAccountToken: .absent)
            ).transactionID
        }
        #expect(ids == others)
    }

    @Test func `The account token is in transactions, renewals, renewal info and the customer's state`() throws {
        var shop = Shop()
        let outcome = try shop.perform(.purchase(customer: "anna", product: "basic", introductory: false))
        let token = try #require(shop.store.customers["anna"]?.accountToken)
        #expect(outcome.appAccountToken == token.uuidString.lowercased())
        shop.wait(.month)
        let renewal = try shop.last()
        #expect(renewal.transaction.appAccountToken == token && renewal.renewalInfo?.appAccountToken == token)
        #expect(renewal.transaction.transactionReason == .renewal)
        #expect(try shop.store.state(of: "anna", at: shop.now).appAccountToken == token.uuidString.lowercased())
        let trigger = try shop.store.trigger(TriggerRequest(.oneTimeCharge, customer: "ben"), at: shop.now)
        #expect(trigger.appAccountToken == shop.store.customers["ben"]?.accountToken?.uuidString.lowercased())
    }

    @Test func `A purchase that sets or removes the account token applies to later purchases`() throws {
        var shop = Shop()
        let account = UUID()
        func buy(_ product: String, _ token: AppAccountToken? = nil) throws -> UUID? {
            let command = StoreCommand.purchase(
                customer: "anna", product: product, introductory: false, appAccountToken: token)
            let id = try #require(try shop.perform(command).transactionID)
            return try shop.transaction(id).appAccountToken
        }
        let own = try #require(try buy("coins"))
        #expect(try buy("coins", AppAccountToken(account)) == account)
        #expect(try buy("coins") == account && own != account)
        #expect(try buy("coins", .absent) == nil)
        #expect(try buy("basic") == nil)
        #expect(try shop.store.state(of: "anna", at: shop.now).appAccountToken == nil)
        // A refused purchase does not change the token.
        try shop.expectRefusal(
            .purchase(customer: "anna", product: "basic", appAccountToken: AppAccountToken(account)), .alreadyOwned)
        #expect(try buy("coins") == nil)
    }

    @Test func `A change of plan without an account keeps the account token, and a resubscription does not`() throws {
        var shop = Shop()
        let token = UUID()
        func buy(_ product: String, _ token: AppAccountToken) throws -> UUID? {
            try shop.perform(
                .purchase(customer: "anna", product: product, introductory: false, appAccountToken: token))
            return try shop.last().transaction.appAccountToken
        }
        #expect(try buy("plus", AppAccountToken(token)) == token)
        #expect(try buy("gold", .absent) == token)
        try shop.perform(.cancel(customer: "anna"))
        shop.wait(.month)
        #expect(try shop.status() == .expired)
        #expect(try buy("gold", .absent) == nil)
        #expect(try shop.last().renewalInfo?.appAccountToken == nil)
        shop.wait(.month)
        #expect(try shop.last().transaction.appAccountToken == nil)
    }

    @Test func `In JSON and YAML an account token is a UUID, or null for none`() throws {
        func read(_ members: String) throws -> StoreCommand {
            let json = #"{"purchase":{"customer":"anna","product":"coins"\#(members)}}"#
            return try JSONDecoder().decode(StoreCommand.self, from: Data(json.utf8))
        }
        func token(_ command: StoreCommand) -> AppAccountToken? {
            guard case .purchase(_, _, _, _, _, let token, _, _, _, _, _) = command else { return nil }
            return token
        }
        let id = try #require(UUID(uuidString: "2B4E6F80-1C3D-4E5F-8A9B-0C1D2E3F4A5B"))
        #expect(try token(read("")) == nil)
        #expect(try token(read(#","appAccountToken":null"#)) == .absent)
        #expect(try token(read(#","appAccountToken":"\#(id.uuidString)""#)) == AppAccountToken(id))
        for wrong in [#""anna""#, "1", #""""#, "[]"] {
            #expect(throws: DecodingError.self) { try read(#","appAccountToken":\#(wrong)"#) }
        }
        for command in [try read(""), try read(#","appAccountToken":null"#)] {
            #expect(try JSONDecoder().decode(StoreCommand.self, from: JSONEncoder().encode(command)) == command)
        }
        let written = try JSONEncoder().encode(
            StoreCommand.purchase(customer: "a", product: "b", appAccountToken: .init(id)))
        #expect(String(decoding: written, as: UTF8.self).contains(id.uuidString.lowercased()))
        let scenario = "name: x\nsteps:\n  - purchase: {customer: anna, product: coins, appAccountToken: "
        #expect(throws: Never.self) { try Scenario(yaml: scenario + "null}") }
        #expect(throws: ScenarioError.self) { try Scenario(yaml: scenario + "me}") }
    }
}
