internal import AppStoreModels
public import Foundation

/// A transaction as a device has it.
public struct SignedDeviceTransaction: Codable, Sendable, Hashable {
    /// The signed text. Its signature is wrong if it is not verified.
    public var signedTransactionInfo: String
    /// Whether StoreKit could verify it.
    public var isVerified: Bool
}

/// What StoreKit has on one device.
public struct DeviceContents: Codable, Sendable {
    /// Whose device it is.
    public var customer: String
    /// The device.
    public var device: String
    /// The system's major version.
    public var system: Int
    /// The storefront's ISO 3166-1 alpha-3 code.
    public var storefront: String
    /// Whether it has no network: the rest is as it was when it had one.
    public var isOffline: Bool
    /// Every transaction, but for finished consumables that were not refunded, in the order in which they were made.
    public var all: [SignedDeviceTransaction]
    /// What there is a right to.
    public var current: [SignedDeviceTransaction]
    /// What no app has finished.
    public var unfinished: [SignedDeviceTransaction]
    /// The subscriptions.
    public var statuses: [Status]
    /// The app's products; what is off sale is not among them.
    public var products: [SoldProduct]
    /// The products of the purchases that wait for somebody.
    public var pending: [String]
    /// The app transaction; none before iOS 16.
    public var signedAppTransactionInfo: String?
    /// The device's identifier for vendor, which its receipt is bound to.
    public var identifierForVendor: UUID
    /// The unified receipt in base64; none in the sandbox before the first purchase or `refreshReceipt`.
    public var receipt: String?

    /// A subscription.
    public struct Status: Codable, Sendable {
        /// The status by Apple's number.
        public var state: Int32
        /// The latest transaction.
        public var signedTransactionInfo: String
        /// What is known about its renewal.
        public var signedRenewalInfo: String
        /// Whether StoreKit could verify both.
        public var isVerified: Bool
    }

    /// A product.
    public struct SoldProduct: Codable, Sendable {
        /// The product identifier.
        public var id: String
        /// Which of the four kinds it is.
        public var type: String
        /// Its name.
        public var name: String
        /// The price as customers read it.
        public var displayPrice: String
        /// The price.
        public var price: Decimal
        /// The ISO 4217 code of the currency.
        public var currency: String
        /// The group of an auto-renewable subscription.
        public var subscriptionGroupIdentifier: String?
    }
}

/// What a device was told since it last asked.
public struct DeviceUpdates: Codable, Sendable {
    /// In order. The app's start tells of everything that is not finished.
    public var updates: [Update]
    /// What to ask `after` next.
    public var next: Int

    /// A transaction; without one, a subscription's status changed.
    public struct Update: Codable, Sendable {
        /// The transaction as it was then.
        public var transaction: SignedDeviceTransaction?
    }
}

extension DeviceContents.SoldProduct {
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
