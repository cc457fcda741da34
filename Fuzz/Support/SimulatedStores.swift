package import AppStoreModels
package import Foundation
package import StoreSimulator

/// Small simulated stores. They are the same in every run, because the seeds and the dictionary contain their
/// identifiers.
package enum SimulatedStores {
    /// Makes a store in which the customers have purchases of every kind.
    package static func new(_ environment: AppStoreEnvironment) -> Store {
        var settings = environment == .sandbox ? StoreSettings.sandbox : .production
        settings.notificationURL = "https://developer.example/notifications"
        settings.gracePeriod = .threeDays
        var store = Store(
            environment: environment, app: SimulatedApp(), catalogue: .example, settings: settings, seed: 1)
        var now = present
        for product in Catalogue.example.products.prefix(12) {
            // Ignore failures: some products cannot be bought with this command.
            _ = try? store.perform(.purchase(customer: "anna", product: product.id), at: now)
            now += 60
        }
        _ = try? store.perform(.shareWithFamily(customer: "anna", member: "ben"), at: now)
        _ = try? store.perform(.requestRefund(customer: "anna"), at: now)
        _ = try? store.perform(.requestTestNotification, at: now)
        for json in advancedCommerce {
            let command = Property.success("a command can be read") {
                try JSONDecoder().decode(StoreCommand.self, from: Data(json.utf8))
            }
            Property.success("a generic product can be bought") { _ = try store.perform(command, at: now) }
        }
        store.run(until: later)
        return store
    }

    /// Advanced Commerce purchases of the customer dora: a monthly subscription with two items, and a one-time charge.
    private static let advancedCommerce = [
        #"{"subscribeAdvancedCommerce":{"customer":"dora","product":"com.example.advanced.subscription","request":{"#
            + #""operation":"CREATE_SUBSCRIPTION","version":"1","currency":"USD","period":"P1M","taxCode":"C003-00-2","#
            + #""requestInfo":{"requestReferenceId":"00000000-0000-4000-8000-000000000001"},"#
            + #""descriptors":{"description":"Everything","displayName":"All"},"items":["#
            + #"{"SKU":"tv","displayName":"tv","description":"d","price":5000},"#
            + #"{"SKU":"radio","displayName":"radio","description":"d","price":2000}]}}}"#,
        #"{"chargeAdvancedCommerce":{"customer":"dora","product":"com.example.advanced.onetime","request":{"#
            + #""operation":"CREATE_ONE_TIME_CHARGE","version":"1","currency":"USD","taxCode":"C003-00-2","#
            + #""requestInfo":{"requestReferenceId":"00000000-0000-4000-8000-000000000002"},"#
            + #""item":{"SKU":"hat","displayName":"Hat","description":"A hat","price":3000}}}}"#,
    ]

    /// The time until which the stores have run.
    package static let later = present + 3600
}

extension Store {
    /// The store as JSON with sorted keys.
    package var bytes: Data {
        Property.success("a store can be written") {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try encoder.encode(self)
        }
    }
}
