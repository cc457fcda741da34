internal import AppStoreModels
package import Foundation

/// A signed transaction on a device.
public struct SignedDeviceTransaction: Codable, Sendable, Hashable {
    /// The JWS. Its signature is invalid if `isVerified` is false.
    public var signedTransactionInfo: String
    /// Whether StoreKit verifies the transaction.
    public var isVerified: Bool
}

/// The StoreKit data on a device.
package struct DeviceContents: Codable, Sendable {
    /// The customer who owns the device.
    package var customer: String
    /// The name of the device.
    package var device: String
    /// The major version of the operating system.
    package var system: Int
    /// The storefront's ISO 3166-1 alpha-3 code.
    package var storefront: String
    /// Whether the device is offline. The other values are as of the time when it went offline.
    package var isOffline: Bool
    /// All transactions in the order of purchase, except finished consumables that were not refunded.
    package var all: [SignedDeviceTransaction]
    /// The current entitlements.
    package var current: [SignedDeviceTransaction]
    /// The transactions that the app has not finished.
    package var unfinished: [SignedDeviceTransaction]
    /// The statuses of the subscriptions.
    package var statuses: [Status]
    /// The products that are on sale.
    package var products: [DeviceProduct]
    /// The product identifiers of pending purchases, such as those that wait for approval.
    package var pending: [String]
    /// The app transaction; nil before iOS 16.
    package var signedAppTransactionInfo: String?
    /// The identifier for vendor of the device. The receipt is bound to it.
    package var identifierForVendor: UUID
    /// The unified receipt in base64; nil in the sandbox before the first purchase or `refreshReceipt`.
    package var receipt: String?

    /// The status of a subscription.
    package struct Status: Codable, Sendable {
        /// The number of the status in Apple's API.
        package var state: Int32
        /// The latest transaction.
        package var signedTransactionInfo: String
        /// The renewal info.
        package var signedRenewalInfo: String
        /// Whether StoreKit verifies both.
        package var isVerified: Bool
    }

    /// A product that is on sale.
    package struct DeviceProduct: Codable, Sendable {
        /// The product identifier.
        package var id: String
        /// The product type.
        package var type: String
        /// The display name.
        package var name: String
        /// The formatted price.
        package var displayPrice: String
        /// The price in units of the currency.
        package var price: Decimal
        /// The ISO 4217 currency code.
        package var currency: String
        /// The subscription group, for auto-renewable subscriptions.
        package var subscriptionGroupIdentifier: String?
    }
}

/// The updates for a device since the last request.
package struct DeviceUpdates: Codable, Sendable {
    /// The updates, in order. The first request of an app returns all unfinished transactions.
    package var updates: [Update]
    /// The value of `after` for the next request.
    package var next: Int

    /// A new or changed transaction. Without a transaction, the status of a subscription has changed.
    package struct Update: Codable, Sendable {
        /// The transaction at the time of the update.
        package var transaction: SignedDeviceTransaction?
    }
}

extension DeviceContents.DeviceProduct {
    init(_ product: Product, in storefront: Storefront) {
        id = product.id
        type = product.type.rawValue
        name = product.name.isEmpty ? product.id : product.name
        price = Decimal(product.price(in: storefront.code)) / 1000
        currency = storefront.currency
        displayPrice = price.formatted(.currency(code: currency).locale(Locale(identifier: "en_US")))
        subscriptionGroupIdentifier = product.subscription?.group
    }
}
