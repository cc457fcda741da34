internal import AppStoreModels
internal import Foundation

/// The products, subscription groups and storefronts of an app.
public struct Catalogue: Sendable, Hashable, Codable {
    /// The products of all types.
    public var products: [Product]

    /// The groups of the auto-renewable subscriptions.
    public var groups: [SubscriptionGroup]

    /// The storefronts where the app is sold. The first one is the default of new customers.
    public var storefronts: [Storefront]

    /// Creates a catalogue. Does not check it; see ``validate()``.
    public init(products: [Product], groups: [SubscriptionGroup] = [], storefronts: [Storefront] = [.usa]) {
        self.products = products
        self.groups = groups
        self.storefronts = storefronts
    }

    /// Returns the product with an identifier.
    public func product(_ id: String) -> Product? { products.first { $0.id.isExactly(id) } }

    /// Returns the storefront with an ISO 3166-1 alpha-3 code.
    public func storefront(_ code: String) -> Storefront? { storefronts.first { $0.code == code } }
}

/// A group of subscriptions at different levels of service. A customer can have one of them at a time.
public struct SubscriptionGroup: Sendable, Hashable, Codable, Identifiable {
    /// The `subscriptionGroupIdentifier` of transactions.
    public var id: String
    /// The reference name.
    public var name: String

    /// Creates a group.
    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}

/// The App Store of a country or region.
public struct Storefront: Sendable, Hashable, Codable {
    /// The ISO 3166-1 alpha-3 code, such as `USA`.
    public var code: String
    /// The storefront number, such as `143441`.
    public var id: String
    /// The ISO 4217 currency code, such as `USD`.
    public var currency: String

    /// Creates a storefront.
    public init(code: String, id: String, currency: String) {
        self.code = code
        self.id = id
        self.currency = currency
    }

    /// The United States.
    public static let usa = Self(code: "USA", id: "143441", currency: "USD")
}

extension Catalogue {
    /// Changes the product with an identifier.
    mutating func change(_ id: String, _ body: (inout Product) -> Void) {
        if let index = products.firstIndex(where: { $0.id.isExactly(id) }) { body(&products[index]) }
    }

    /// Sets the expiration of an offer code.
    ///
    /// - Returns: Whether the product has an offer code with this identifier.
    mutating func end(_ offer: String, of product: String, at instant: Date) -> Bool {
        guard let place = products.firstIndex(where: { $0.id.isExactly(product) }) else { return false }
        func isMeant(_ one: Offer) -> Bool { one.type == .offerCode && one.identifier == offer }
        if let index = products[place].subscription?.offers.firstIndex(where: isMeant) {
            products[place].subscription?.offers[index].expires = instant
        } else if let index = products[place].offers.firstIndex(where: isMeant) {
            products[place].offers[index].expires = instant
        } else {
            return false
        }
        return true
    }
}
