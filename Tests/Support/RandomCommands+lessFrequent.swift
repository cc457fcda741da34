internal import AppStoreModels
internal import Foundation
internal import StoreSimulator

extension RandomCommands {
    /// Returns a command of the developer, of Apple or of an organisation.
    mutating func lessFrequent(_ store: Store, _ customer: String) -> StoreCommand {
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<5: return schedulePriceChange(store)
        case 5, 6:
            return .setAppAccountToken(
                customer: customer, appAccountToken: Self.otherAccount, transaction: selector(store, customer))
        case 7..<10:
            return .answerConsumptionRequest(
                customer: customer, transaction: requestedRefund(store, customer) ?? selector(store, customer),
                preference: chance(80)
                    ? one([.decline, .grantFull, .grantProrated, .init(rawValue: "NEVER")]) : nil,
                percentage: chance(50) ? number(0...100_000) : nil)
        case 10: return .assignVolumePurchase(customer: customer)
        case 11: return .revokeVolumePurchase(customer: customer)
        case 12, 13: return .refreshReceipt(customer: customer)
        case 14: return .releaseVersion(version: one(["2.0", "2.1", "3", ""]))
        default:
            return .reportExternalPurchaseToken(
                token: store.externalPurchases.keys.sorted().randomElement(using: &random) ?? "", duplicate: true)
        }
    }

    /// The account token of a customer who does not buy.
    private static let otherAccount = UUID(uuid: (9, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))

    private mutating func schedulePriceChange(_ store: Store) -> StoreCommand {
        let id = product()
        let price = scheduledPrice(of: id, store)
        let days = Double.random(in: 0...120, using: &random)
        let isLater = chance(50)
        return .schedulePriceChange(
            product: id, price: price, effectiveDate: isLater ? store.lastSigned.map { $0 + days * 86_400 } : nil,
            consent: one([nil, true, false] as [Bool?]),
            storefronts: chance(30) ? one([[], ["DEU"], ["USA"], ["XXX"]]) : nil,
            preservesPrices: chance(20) ? true : nil)
    }

    /// Each scheduled price is higher than all prices of the product before, unless prices can be lowered.
    private mutating func scheduledPrice(of id: String, _ store: Store) -> Int64 {
        if chance(5) { return one([.max, .min, -1]) }
        if lowersPrices, chance(50) { return .random(in: 500...30_000, using: &random) }
        let present = store.catalogue.products.first { $0.id == id }?.price ?? 0
        return max(present, 30_000) + 1000 * Int64(store.priceCampaigns.count + 1)
    }

    /// A purchase of a customer whose refund request is pending.
    private mutating func requestedRefund(_ store: Store, _ customer: String) -> String? {
        let purchases = store.customers[customer]?.transactions ?? []
        return purchases.filter { store.transactions[$0]?.refund?.state == .requested }.randomElement(using: &random)
    }
}
