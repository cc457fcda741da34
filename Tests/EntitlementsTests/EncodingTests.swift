import AppStoreModels
import Entitlements
import Foundation
import Testing

@Suite struct `States in JSON` {
    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test func `States are encoded with milliseconds and snake case words, and without missing values`() throws {
        let state = EntitlementsTests.states([period("1", 0, 30)], [renewal(on: 5, renews: false)], on: day(6))
        #expect(
            try json(state.entitlement("pro"))
                == #"{"details":["will_not_renew"],"entitlement":"pro","isActive":true,"#
                + #""originalTransactionId":"1","productId":"pro.month","state":"active","transactionId":"1","#
                + #""until":1702592000000,"willRenew":false}"#)
        let all = try json(state)
        #expect(all.hasPrefix(#"{"asOf":1700518400000,"consumables":[]"#))
        #expect(all.contains(#""nextStep":"save_offer""#))
        #expect(all.contains(#""purchaseDate":1700000000000"#))
    }

    @Test func `An explanation is encoded like states`() throws {
        let facts = CustomerFacts(transactions: [period("1", 0, 30)])
        let text = try json(engine.explanation(of: "pro", facts: facts, asOf: day(1)))
        #expect(text.contains(#""rule":"subscription_active""#))
        #expect(text.contains(#""signedDate":1700000000000"#))
    }
}
