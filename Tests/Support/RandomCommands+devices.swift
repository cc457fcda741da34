package import StoreSimulator

extension RandomCommands {
    /// Returns a command for a device or, one time out of three, another command.
    package mutating func nextWithDevices(_ store: Store) -> StoreCommand {
        guard chance(67) else { return next(store) }
        let customer = chance(2) ? "" : names.randomElement(using: &random) ?? ""
        let device = chance(2) ? " " : chance(50) ? "phone" : "tablet"
        let transaction = chance(50) ? nil : store.customers[customer]?.transactions.randomElement(using: &random)
        let product = ["coins", "lamp", "season", "gold", "silver"].randomElement(using: &random) ?? ""
        switch Int.random(in: 0..<20, using: &random) {
        case 0: return .installApp(customer: customer, device: device, system: chance(50) ? nil : chance(80) ? 15 : 14)
        case 1: return .goOffline(customer: customer, device: device)
        case 2, 3: return .goOnline(customer: customer, device: device)
        case 4, 5: return .sync(customer: customer, device: device)
        case 6: return .askToBuy(customer: customer)
        case 7: return .stopAskingToBuy(customer: customer)
        case 8, 9: return .approvePurchase(customer: customer, product: chance(50) ? nil : product)
        case 10: return .declinePurchase(customer: customer, product: chance(50) ? nil : product)
        case 11:
            let results: [PlannedPurchaseResult] = [.cancelled, .failed, .interrupted, .unverified]
            return .setNextPurchaseResult(
                customer: customer, device: device, result: results.randomElement(using: &random) ?? .failed)
        case 12: return .resendUpdate(customer: customer, device: device, transaction: transaction)
        case 13: return .holdUpdates(customer: customer, device: device)
        case 14: return .releaseUpdates(customer: customer, device: device, reversed: chance(50))
        case 15: return .failVerification(customer: customer, device: device, transaction: transaction)
        case 16: return .hideRenewals(customer: customer, device: device)
        case 17: return .finish(customer: customer, transaction: transaction, device: device)
        default: return .purchase(customer: customer, product: product, device: device)
        }
    }
}
