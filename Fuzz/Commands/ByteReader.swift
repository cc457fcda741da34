import AppStoreModels
import Foundation
import StoreSimulator

/// Generates store commands from bytes. After the last byte it reads zeros.
struct ByteReader {
    private var bytes: ArraySlice<UInt8>

    private static let names = ["anna", "ben", "carl", ""]
    private static let products = Catalogue.example.products.map(\.id) + ["nothing"]
    private static let numbers: [Int32] = [1, 0, -1, .min, .max, 90, 91, 100_000, 100_001, 50_000, 7]
    private static let prices: [Int64] = [9990, 0, -1, .min, .max, 1, 1_000_000_000_000]

    init(bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var isEmpty: Bool { bytes.isEmpty }

    mutating func next() -> UInt8 { bytes.popFirst() ?? 0 }
    mutating func drain() { bytes = [] }

    private mutating func one<Value>(_ values: [Value]) -> Value { values[Int(next()) % values.count] }
    private mutating func name() -> String { one(Self.names) }
    private mutating func product() -> String { one(Self.products) }
    private mutating func number() -> Int32 { one(Self.numbers) }
    private mutating func flag() -> Bool { next() & 1 == 1 }

    /// Returns nil, a product, or a transaction of the customer.
    private mutating func selector(_ store: Store, _ customer: String) -> String? {
        let byte = next()
        let transactions = store.customers[customer]?.transactions ?? []
        if byte < 0x60 || transactions.isEmpty { return byte < 0x50 ? nil : product() }
        return transactions[Int(byte) % transactions.count]
    }

    private mutating func offer(of product: String) -> String? {
        guard let product = Catalogue.example.product(product) else { return nil }
        let offers: [String?] = [nil] + (product.subscription?.offers ?? product.offers).map(\.identifier)
        return one(offers)
    }

    mutating func command(_ kind: UInt8, in store: Store) -> StoreCommand {
        switch kind % 32 {
        case 0:
            return .createCustomer(customer: name(), storefront: one([nil, "USA", "DEU", "XXX"]))
        case 1, 2, 3, 4:
            let (customer, product) = (name(), product())
            return .purchase(
                customer: customer, product: product, quantity: one([nil, nil, nil, 10, 0, -1, .max, .min]),
                offer: offer(of: product), introductory: one([nil, true, false]),
                billingPlan: one([nil, nil, .monthly, .billedUpfront]))
        case 5: return .failBilling(customer: name())
        case 6: return .fixBilling(customer: name())
        case 7: return .shareWithFamily(customer: name(), member: name())
        case 8: return .stopSharing(customer: name(), member: name())
        case 9:
            return .increasePrice(
                product: product(), price: one(Self.prices), consent: flag(), customer: flag() ? name() : nil)
        case 10: return .removeFromSale(product: product())
        case 11: return .returnToSale(product: product())
        case 12:
            return .extendAllRenewals(
                product: product(), days: number(), storefronts: one([nil, [], ["DEU"], ["XXX", "USA"]]))
        case 13: return .rescindConsent(customer: name())
        case 14: return .createExternalPurchaseToken(tokenType: one([nil, .services, .init(rawValue: "OTHER")]))
        case 15:
            return .reportExternalPurchaseToken(token: one(store.externalPurchases.keys.sorted() + [""]))
        case 16: return .requestTestNotification
        case 17: return .clearHistory(customer: name())
        case 18: return .assignSeat(customer: name(), product: product())
        case 19:
            return .joinGroup(
                customer: name(), group: one(["1", ""]), organization: flag(), administrator: flag())
        default: return purchaseCommand(of: name(), kind, store)
        }
    }

    /// Returns a command that changes a purchase of a customer.
    private mutating func purchaseCommand(of customer: String, _ kind: UInt8, _ store: Store) -> StoreCommand {
        let selected = selector(store, customer)
        switch kind % 32 {
        case 20: return .cancel(customer: customer, subscription: selected)
        case 21: return .resume(customer: customer, subscription: selected)
        case 22: return .accelerate(customer: customer, subscription: selected)
        case 23:
            return .requestRefund(
                customer: customer, transaction: selected, inApp: flag(), note: one([nil, "DECLINE", "GRANT_PRORATED"]))
        case 24, 25:
            return .approveRefund(
                customer: customer, transaction: selected, reason: one([nil, .issueWithApp]),
                percentage: flag() ? number() : nil)
        case 26: return .declineRefund(customer: customer, transaction: selected)
        case 27: return .reverseRefund(customer: customer, transaction: selected)
        case 28: return .acceptPrice(customer: customer, subscription: selected)
        case 29: return .finish(customer: customer, transaction: selected)
        default: return .extendRenewal(customer: customer, days: number(), subscription: selected)
        }
    }
}
