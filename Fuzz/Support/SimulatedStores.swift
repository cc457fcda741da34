package import AppStoreModels
package import Foundation
package import StoreSimulator

/// Small stores to do things to. The same every time: their identifiers are in the seeds and in the dictionary.
package enum SimulatedStores {
    /// A store in which somebody has something of every kind.
    package static func new(_ environment: AppStoreEnvironment) -> Store {
        var settings = environment == .sandbox ? StoreSettings.sandbox : .production
        settings.notificationURL = "https://developer.example/notifications"
        settings.gracePeriod = .threeDays
        var store = Store(
            environment: environment, app: SimulatedApp(), catalogue: .example, settings: settings, seed: 1)
        var now = present
        for product in Catalogue.example.products.prefix(12) {
            // Some are not for sale like that.
            _ = try? store.perform(.purchase(customer: "anna", product: product.id), at: now)
            now += 60
        }
        _ = try? store.perform(.shareWithFamily(customer: "anna", member: "ben"), at: now)
        _ = try? store.perform(.requestRefund(customer: "anna"), at: now)
        _ = try? store.perform(.requestTestNotification, at: now)
        store.run(until: later)
        return store
    }

    /// When the stores are ready.
    package static let later = present + 3600
}

extension Store {
    /// All of it, always in the same order.
    package var bytes: Data {
        Property.success("a store can be written") {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try encoder.encode(self)
        }
    }
}
