import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

/// Laws of Advanced Commerce subscriptions after random requests of servers and apps, many of which are refused.
@Suite struct AdvancedCommerceLifeTests {
    @Test func `Advanced Commerce subscriptions renew with the items and the price that their renewal info names`()
        throws
    {
        var total = Counts()
        for seed in UInt64(1)...80 {
            var life = try Life(seed)
            for step in 1...60 {
                let problems = try life.step()
                #expect(problems.isEmpty, "seed \(seed), step \(step): \(problems.joined(separator: "; "))")
            }
            total.add(life.counts)
        }
        #expect(
            total.renewals > 20 && total.priceChanges > 2 && total.refundedItems > 20 && total.accepted > 300,
            "\(total)")
    }

    /// How much was compared.
    private struct Counts {
        var accepted = 0
        var renewals = 0
        /// Renewals at another price than that of the period before.
        var priceChanges = 0
        var refundedItems = 0

        mutating func add(_ other: Self) {
            accepted += other.accepted
            renewals += other.renewals
            priceChanges += other.priceChanges
            refundedItems += other.refundedItems
        }
    }

    /// A random life of one subscription, which is bought again after it has ended.
    private struct Life {
        var shop: AdvancedCommerceStore
        var random: SeededGenerator
        var counts = Counts()

        private static let skus = ["tv", "radio", "book", "game"]

        init(_ seed: UInt64) throws {
            shop = try AdvancedCommerceStore()
            random = SeededGenerator(seed: seed)
        }

        private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        private mutating func anySKU() -> String { Self.skus.randomElement(using: &random) ?? "tv" }
        private mutating func anyPrice() -> Int64 { [0, 1, 999, 5000, 9990].randomElement(using: &random) ?? 0 }

        /// Advances the clock or sends a request. Returns the broken laws.
        mutating func step() throws -> [String] {
            var problems: [String] = []
            let (sku, other, price) = (anySKU(), anySKU(), anyPrice())
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<3: problems = try advance()
            case 3:
                try send(.changeSubscriptionPrice, #"{REF,"items":[{"SKU":"\#(sku)","price":\#(price)}]}"#)
            case 4:
                let effective = chance(50) ? "IMMEDIATELY" : "NEXT_BILL_CYCLE"
                try send(
                    .changeSubscriptionMetadata,
                    #"{REF,"items":[{"currentSKU":"\#(sku)","SKU":"\#(other)","effective":"\#(effective)"}]}"#)
            case 5:
                let (kind, revokes) = (chance(50) ? "FULL" : "PRORATED", chance(70))
                try send(
                    .requestRefund,
                    AdvancedCommerceCodeTests.refund(sku, #""refundType":"\#(kind)","revoke":\#(revokes)"#))
            case 6:
                if chance(30) {
                    try send(.revokeSubscription, AdvancedCommerceCodeTests.revocation)
                } else {
                    try send(.cancelSubscription, "{REF}")
                }
            case 7: try reactivate()
            case 8, 9: try modify()
            case 10:
                try perform(chance(30) ? .failBilling(customer: "anna") : .fixBilling(customer: "anna"))
            default:
                let order = AdvancedCommerceStore.order(shop.reference())
                try perform(
                    chance(40)
                        ? .reverseRefund(customer: "anna", transaction: shop.current.transactionId)
                        : .subscribeAdvancedCommerce(
                            customer: "anna", product: AdvancedCommerceStore.subscriptionProduct, request: order))
            }
            return problems + (try brokenLaws())
        }

        /// Advances the clock by less than a period. A renewal must be what the renewal info said before.
        private mutating func advance() throws -> [String] {
            let (before, promise) = (try shop.current, try shop.renewal)
            shop.advance(days: .random(in: 0.1...20, using: &random))
            let after = try shop.current
            guard after.transactionId != before.transactionId else { return [] }
            counts.renewals += 1
            if after.price != before.price { counts.priceChanges += 1 }
            let promised = (promise.advancedCommerceInfo?.items ?? []).map(\.sku)
            let received = (after.advancedCommerceInfo?.items ?? []).map(\.sku)
            guard promise.renewalPrice != after.price || promised != received else { return [] }
            return [
                "\(promised) for \(String(describing: promise.renewalPrice)) promised, "
                    + "\(received) for \(String(describing: after.price)) charged"
            ]
        }

        private mutating func reactivate() throws {
            let items = chance(50) ? [AdvancedCommerceSubscriptionReactivateItem(sku: anySKU())] : nil
            let body = AdvancedCommerceSubscriptionReactivateInAppRequest(
                requestInfo: .init(requestReferenceId: shop.reference()), transactionId: shop.subscription,
                items: items)
            try perform(
                .requestAdvancedCommerce(customer: "anna", data: try AdvancedCommerceStore.unsigned(body)))
        }

        private mutating func modify() throws {
            let regular = anyPrice()
            let offer =
                chance(30) && regular > 1
                ? AdvancedCommerceOffer(period: .p1m, periodCount: 2, price: 1, reason: .acquisition) : nil
            let added = AdvancedCommerceSubscriptionModifyAddItem(
                sku: anySKU(), displayName: "n", description: "d", price: regular, offer: offer)
            let changed = AdvancedCommerceSubscriptionModifyChangeItem(
                currentSKU: anySKU(), sku: anySKU(), displayName: "n", description: "d",
                effective: chance(50) ? .immediately : .nextBillCycle, reason: .upgrade, price: anyPrice())
            let adds = chance(50)
            let body = AdvancedCommerceSubscriptionModifyInAppRequest(
                requestInfo: .init(requestReferenceId: shop.reference()), transactionId: shop.subscription,
                retainBillingCycle: chance(60), addItems: adds ? [added] : nil,
                changeItems: adds && chance(60) ? nil : [changed],
                removeItems: chance(30) ? [.init(sku: anySKU())] : nil)
            try perform(
                .requestAdvancedCommerce(customer: "anna", data: try AdvancedCommerceStore.unsigned(body)))
        }

        private mutating func send(_ endpoint: AppStoreEndpoint, _ body: String) throws {
            let current = try shop.current.transactionId
            do {
                try shop.send(endpoint, current, body)
                counts.accepted += 1
            } catch is APIFailure {}
        }

        private mutating func perform(_ command: StoreCommand) throws {
            do {
                try shop.perform(command)
                counts.accepted += 1
            } catch is StoreError {}
        }

        private mutating func brokenLaws() throws -> [String] {
            let (current, renewal) = (try shop.current, try shop.renewal)
            let items = current.advancedCommerceInfo?.items ?? []
            let renewing = renewal.advancedCommerceInfo?.items ?? []
            counts.refundedItems += items.count { $0.refunds?.isEmpty == false }
            let isWithinPrice = items.allSatisfy { item in
                let refunded: Int64 = (item.refunds ?? []).compactMap(\.refundAmount).reduce(0, +)
                let paid: Int64 = item.offer?.price ?? item.price ?? 0
                return refunded <= paid
            }
            let isRevoked = items.allSatisfy { $0.revocationDate != nil }
            let laws: [(String, Bool)] = [
                ("the transaction has items", !items.isEmpty),
                ("each item of the transaction has its own SKU", Set(items.map(\.sku)).count == items.count),
                ("each item that renews has its own SKU", Set(renewing.map(\.sku)).count == renewing.count),
                ("something renews", renewal.autoRenewStatus == .off || !renewing.isEmpty),
                ("no more is refunded than was paid", isWithinPrice),
                ("the transaction is revoked when all its items are", isRevoked == (current.revocationDate != nil)),
            ]
            return laws.filter { !$0.1 }.map { "not true: \($0.0)" }
        }
    }
}
