internal import AppStoreModels
package import Foundation
package import StoreSimulator

/// Random commands of every kind, most of them valid, some invalid.
package struct RandomCommands {
    package var random: SeededGenerator
    /// The names of the customers.
    package let names: [String]
    /// Whether scheduled prices can be lower than the present ones. The App Store does not notify of that, not even if
    /// the customer has been asked to agree to an increase.
    package var lowersPrices = false

    package init(random: SeededGenerator, names: [String] = ["anna", "ben", "carl", "dora"]) {
        self.random = random
        self.names = names
    }

    private static let offers = [
        "loyal", "loyaler", "goldfish", "NUGGET", "PLUS", "NEWCOMER", "return", "rare", "longer", "small", "BASIC",
        "GIFT",
    ]
    private static let nonsense = [
        "", " ", "\u{0}", "nobody", "-1", "340001000000001", String(repeating: "x", count: 5000), "🎟️",
    ]
    private static let products = Catalogue.shop.products.map(\.id)

    package mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    mutating func one<T>(_ values: [T]) -> T { values[Int.random(in: values.indices, using: &random)] }

    private mutating func name() -> String { one(chance(2) ? Self.nonsense : names) }
    mutating func product() -> String { one(chance(2) ? Self.nonsense : Self.products) }
    mutating func number(_ range: ClosedRange<Int32>) -> Int32 {
        chance(10) ? one([0, -1, .min, .max, 91, 100_001]) : .random(in: range, using: &random)
    }

    /// Nil, a product, the identifier of an existing transaction, or an invalid text.
    mutating func selector(_ store: Store, _ customer: String) -> String? {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5: nil
        case 5: product()
        case 6: one(Self.nonsense)
        default: store.customers[customer].flatMap { $0.transactions.randomElement(using: &random) }
        }
    }

    /// A random pause between commands: often none, mostly days, sometimes weeks, sometimes less than a second.
    package mutating func pause() -> TimeInterval {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: 0
        case 4..<8: .random(in: 0...5, using: &random) * 86_400
        case 8: .random(in: 0...40, using: &random) * 86_400
        default: .random(in: 0...0.01, using: &random)
        }
    }

    package mutating func next(_ store: Store) -> StoreCommand {
        let customer = name()
        switch Int.random(in: 0..<38, using: &random) {
        case 0: return .createCustomer(customer: customer, storefront: chance(50) ? one(["USA", "DEU", "XXX"]) : nil)
        case 1..<9:
            let isOdd = chance(10)
            return .purchase(
                customer: customer, product: product(), quantity: isOdd ? one([0, -1, 3, 10, .max, .min]) : nil,
                offer: chance(30) ? one(Self.offers) : nil, introductory: chance(50) ? nil : false,
                appAccountToken: nil,
                billingPlan: chance(10) ? one([.monthly, .billedUpfront, .init(rawValue: "NEVER")]) : nil,
                sign: true)
        case 9, 10: return .cancel(customer: customer, subscription: selector(store, customer))
        case 11, 12: return .resume(customer: customer, subscription: selector(store, customer))
        case 13:
            return .failBilling(
                customer: customer, subscription: chance(50) ? selector(store, customer) : nil, recovers: chance(30))
        case 14, 15:
            return .fixBilling(customer: customer, subscription: chance(30) ? selector(store, customer) : nil)
        case 16, 17: return .accelerate(customer: customer, subscription: selector(store, customer))
        case 18:
            return .requestRefund(
                customer: customer, transaction: selector(store, customer), reason: nil, inApp: chance(50),
                note: chance(50) ? one(["DECLINE", "GRANT_PRORATED", "please"]) : nil)
        case 19:
            return .approveRefund(
                customer: customer, transaction: selector(store, customer), reason: chance(50) ? .issueWithApp : nil,
                percentage: chance(50) ? number(1...100_000) : nil)
        case 20: return .declineRefund(customer: customer, transaction: selector(store, customer))
        case 21, 22: return .reverseRefund(customer: customer, transaction: selector(store, customer))
        case 23, 24: return .shareWithFamily(customer: customer, member: name())
        case 25: return .stopSharing(customer: customer, member: name())
        case 34..<38: return lessFrequent(store, customer)
        default: return other(store, customer)
        }
    }

    private mutating func other(_ store: Store, _ customer: String) -> StoreCommand {
        switch Int.random(in: 0..<18, using: &random) {
        case 17: return .changeStorefront(customer: customer, storefront: one(["USA", "DEU", "XXX"]))
        case 0, 1:
            return .increasePrice(
                product: product(),
                price: chance(10) ? one([.max, .min, 0]) : .random(in: 5000...30_000, using: &random),
                consent: chance(50), customer: chance(50) ? customer : nil)
        case 2, 3: return .acceptPrice(customer: customer, subscription: selector(store, customer))
        case 4: return .removeFromSale(product: product())
        case 5, 6: return .returnToSale(product: product())
        case 7: return .finish(customer: customer, transaction: selector(store, customer))
        case 8, 9:
            return .extendRenewal(
                customer: customer, days: number(1...90), subscription: selector(store, customer), reason: nil)
        case 10:
            return .extendAllRenewals(
                product: product(), days: number(1...90), storefronts: chance(30) ? one([[], ["DEU"], ["XXX"]]) : nil)
        case 11: return .rescindConsent(customer: customer)
        case 12: return .createExternalPurchaseToken(tokenType: chance(50) ? .services : nil)
        case 13:
            return .reportExternalPurchaseToken(
                token: store.externalPurchases.keys.sorted().randomElement(using: &random) ?? "")
        case 14: return chance(20) ? .clearHistory(customer: customer) : .requestTestNotification
        case 15:
            let seat = product()
            return chance(30)
                ? .withdrawSeat(customer: customer, product: seat) : .assignSeat(customer: customer, product: seat)
        default:
            return .joinGroup(customer: customer, group: one(["1", "x", ""]), organization: nil, administrator: true)
        }
    }

    /// A random request for a notification, with or without a customer, who may not exist yet.
    package mutating func trigger() -> TriggerRequest {
        let kind = one(Trigger.kinds)
        return TriggerRequest(
            kind.type, kind.subtype, product: chance(20) ? product() : nil, customer: chance(50) ? name() : nil)
    }
}
