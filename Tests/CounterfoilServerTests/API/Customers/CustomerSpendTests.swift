import AppStoreModels
import Basics
import Entitlements
import Foundation
import LedgerServices
import StoreSimulator
import Testing

@testable import CounterfoilServer

@Suite struct `The spend of a customer` {
    private static let start = Date(timeIntervalSince1970: 1_780_000_000)

    private static func payment(
        _ id: Int, _ price: Int64?, _ currency: String? = "USD", change: (inout TransactionFact) -> Void = { _ in }
    ) -> TransactionFact {
        var fact = TransactionFact(
            transactionID: "\(id)", originalTransactionID: "1", productID: "monthly", type: .autoRenewableSubscription,
            purchaseDate: start + Double(id) * 86_400, expiresDate: start + Double(id + 1) * 86_400,
            signedDate: start + Double(id) * 86_400, price: price, currency: currency)
        change(&fact)
        return fact
    }

    private static func spend(_ payments: [TransactionFact], after days: Double = 100) throws -> APIValue {
        var facts = CustomerFacts()
        facts.transactions = payments
        var json = JSONWriter()
        CustomerSpend(facts, asOf: start + days * 86_400).write(to: &json)
        return APIValue(json: Data(json.bytes))
    }

    private static func lines(_ spend: APIValue) -> [String] {
        spend["items"].items.map { item in
            ["currency", "paid_milliunits", "refunded_milliunits", "payments"].map { item[$0].text ?? "?" }
                .joined(separator: " ")
        }
    }

    @Test func `Spend is added up per currency, with the most frequent currency first`() throws {
        let spend = try Self.spend([
            Self.payment(1, 0), Self.payment(2, 9_990), Self.payment(3, 8_990, "EUR"), Self.payment(4, 9_990),
        ])
        #expect(Self.lines(spend) == ["USD 19980 0 2", "EUR 8990 0 1"])
        #expect(spend["without_price"].number == 0 && spend["upgraded"].number == 0)
    }

    @Test(arguments: [(nil, 9_990), (100_000, 9_990), (50_000, 4_995), (33_333, 3_330), (0, 0), (-5, 0), (.max, 9_990)])
    func `The refunded amount is the revocation percentage of the price, from 0 to 100 percent`(
        _ percentage: Int32?, _ refunded: Int
    ) throws {
        let spend = try Self.spend([
            Self.payment(1, 9_990) {
                ($0.revocationDate, $0.revocationPercentage) = ($0.purchaseDate + 60, percentage)
                $0.signedDate = $0.purchaseDate + 60
            }
        ])
        #expect(Self.lines(spend) == ["USD 9990 \(refunded) 1"])
    }

    @Test func `Spend excludes family-shared transactions and those after the given instant`() throws {
        let payments = [
            Self.payment(1, 9_990), Self.payment(2, 9_990) { $0.ownership = .familyShared }, Self.payment(50, 9_990),
        ]
        #expect(try Self.lines(Self.spend(payments, after: 10)) == ["USD 9990 0 1"])
        #expect(try Self.lines(Self.spend(payments, after: 0.5)) == [])
    }

    @Test func `Transactions without price or currency are counted apart from spend, and so are upgraded ones`() throws
    {
        let spend = try Self.spend([
            Self.payment(1, nil), Self.payment(2, 9_990, nil), Self.payment(3, nil, "USD"),
            Self.payment(4, 5_000) { $0.isUpgraded = true },
        ])
        #expect(Self.lines(spend) == ["USD 5000 0 1"])
        #expect(spend["without_price"].number == 3 && spend["upgraded"].number == 1)
    }

    @Test func `Periods that a purchase replaced are counted, also if they were not signed again`() throws {
        let day: TimeInterval = 86_400
        let spend = try Self.spend([
            Self.payment(1, 5_000) { $0.reason = .purchase },
            // Paid ahead, and replaced before it began.
            Self.payment(2, 5_000) { ($0.reason, $0.signedDate) = (.renewal, $0.purchaseDate - 0.2 * day) },
            Self.payment(3, 9_000) { ($0.reason, $0.purchaseDate) = (.purchase, Self.start + 1.9 * day) },
            Self.payment(4, 9_000) { $0.reason = .renewal },
        ])
        #expect(Self.lines(spend) == ["USD 28000 0 4"])
        #expect(spend["upgraded"].number == 2)
    }

    @Test func `Spend of the largest prices does not overflow, and a negative price is ignored`() throws {
        let payments = (1...4).map { id in
            Self.payment(id, .max) { ($0.revocationDate, $0.signedDate) = ($0.purchaseDate, $0.purchaseDate) }
        }
        #expect(try Self.lines(Self.spend(payments)) == ["USD \(Int64.max) \(Int64.max) 4"])
        #expect(try Self.lines(Self.spend([Self.payment(1, .min)])) == [])
    }

    @Test func `A customer's spend is included on request`() async throws {
        try await World.withAPI { world in
            let customer = try await world.subscribe("anna")
            try await world.simulator.advance(by: 65 * 86_400)
            try await world.waitUntilIdle()
            let path = "/v1/customers/\(customer)"
            #expect(try await world.api.get(path)["spend"] == nil)
            let answer = try await world.api.get(path + "?include=spend,periods")
            #expect(answer["periods"] != nil)
            let spend = APIValue(json: answer.body)["spend"]
            let price = try #require(spend["items"].items.first?["paid_milliunits"].number, "\(answer.text)")
            #expect(price > 0 && spend["without_price"].number == 0)
            let facts = try await world.server.core.customers.customer(customer, in: world.appEnvironment(), at: nil)
                .facts
            #expect(price == facts.transactions.compactMap(\.price).reduce(0, +))
        }
    }

    @Test func `A customer's console page shows the spend once something was paid`() async throws {
        try await World.withConsole { world, browser in
            let customer = try await world.subscribe("anna")
            try await world.waitUntilIdle()
            let path = "/console/customers/\(customer)?environment=Production"
            // Only a free trial so far.
            #expect(try await !browser.get(path).text.contains("Spend"))
            try await world.simulator.advance(by: 65 * 86_400)
            try await world.waitUntilIdle()
            let facts = try await world.server.core.customers.customer(customer, in: world.appEnvironment(), at: nil)
                .facts
            let paid = PriceText.amount(facts.transactions.compactMap(\.price).reduce(0, +), in: "USD")
            let page = try await browser.get(path).text
            #expect(page.contains("Spend") && page.contains(">\(paid)<"))
        }
    }
}
