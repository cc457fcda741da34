import AppStoreReceipts
import AppStoreTrust
import Foundation
import StoreSimulator

// The receipts of volume purchases.
extension ReceiptLaw {
    /// Whether an organisation has revoked the customer's volume purchase of the app. The receipt has expired then.
    func isExpired(_ customer: String) -> Bool {
        world.simulator.core.read(environment) { store, now in
            store.customers[customer]?.volumePurchase?.expires.map { $0 <= now } ?? false
        }
    }

    /// Returns a violation unless the expired receipt is refused for this reason.
    func refusals(ofExpired receipt: String, _ validator: ReceiptValidator) -> [String] {
        do {
            _ = try validator.validate(base64: receipt)
            return ["an expired receipt is valid"]
        } catch {
            return error.code == .receiptExpired ? [] : ["an expired receipt is refused with \(error.code)"]
        }
    }
}
