internal import AppStoreModels
public import Foundation

/// A signed transaction on a device.
public struct SignedDeviceTransaction: Codable, Sendable, Hashable {
    /// The JWS. Its signature is invalid if `isVerified` is false.
    public var signedTransactionInfo: String
    /// Whether StoreKit verifies the transaction.
    public var isVerified: Bool
}

/// The StoreKit data on a device.
public struct DeviceContents: Codable, Sendable {
    /// The customer who owns the device.
    public var customer: String
    /// The name of the device.
    public var device: String
    /// The major version of the operating system.
    public var system: Int
    /// The storefront's ISO 3166-1 alpha-3 code.
    public var storefront: String
    /// Whether the device is offline. The other values are as of the time when it went offline.
    public var isOffline: Bool
    /// All transactions in the order of purchase, except finished consumables that were not refunded.
    public var all: [SignedDeviceTransaction]
    /// The current entitlements.
    public var current: [SignedDeviceTransaction]
    /// The transactions that the app has not finished.
    public var unfinished: [SignedDeviceTransaction]
    /// The statuses of the subscriptions.
    public var statuses: [Status]
    /// The products that are on sale.
    public var products: [DeviceProduct]
    /// The product identifiers of pending purchases, such as those that wait for approval.
    public var pending: [String]
    /// The app transaction; nil before iOS 16.
    public var signedAppTransactionInfo: String?
    /// The identifier for vendor of the device. The receipt is bound to it.
    public var identifierForVendor: UUID
    /// The unified receipt in base64; nil in the sandbox before the first purchase or `refreshReceipt`.
    public var receipt: String?

    /// The status of a subscription.
    public struct Status: Codable, Sendable {
        /// The number of the status in Apple's API.
        public var state: Int32
        /// The latest transaction.
        public var signedTransactionInfo: String
        /// The renewal info.
        public var signedRenewalInfo: String
        /// Whether StoreKit verifies both.
        public var isVerified: Bool
    }

    /// A product that is on sale.
    public struct DeviceProduct: Codable, Sendable {
        /// The product identifier.
        public var id: String
        /// The product type.
        public var type: String
        /// The display name.
        public var name: String
        /// The formatted price.
        public var displayPrice: String
        /// The price in units of the currency.
        public var price: Decimal
        /// The ISO 4217 currency code.
        public var currency: String
        /// The subscription group, for auto-renewable subscriptions.
        public var subscriptionGroupIdentifier: String?
    }
}

/// The updates for a device since the last request.
public struct DeviceUpdates: Codable, Sendable {
    /// The updates, in order. The first request of an app returns all unfinished transactions.
    public var updates: [Update]
    /// The value of `after` for the next request.
    public var next: Int

    /// A new or changed transaction. Without a transaction, the status of a subscription has changed.
    public struct Update: Codable, Sendable {
        /// The transaction at the time of the update.
        public var transaction: SignedDeviceTransaction?
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
