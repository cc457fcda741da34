internal import AppStoreModels
internal import Foundation

/// What the app sells: products, subscription groups and the storefronts they are sold in.
public struct Catalogue: Sendable, Hashable, Codable {
    /// Every product, of every kind.
    public var products: [Product]

    /// The subscription groups that the auto-renewable subscriptions belong to.
    public var groups: [SubscriptionGroup]

    /// Where the app is sold. A customer is in one of them; the first is where a customer is who names none.
    public var storefronts: [Storefront]

    /// A catalogue of these products, groups and storefronts, unchecked.
    public init(products: [Product], groups: [SubscriptionGroup] = [], storefronts: [Storefront] = [.usa]) {
        self.products = products
        self.groups = groups
        self.storefronts = storefronts
    }

    /// The product of this identifier.
    public func product(_ id: String) -> Product? { products.first { $0.id.isExactly(id) } }

    /// The storefront of this ISO 3166-1 alpha-3 code.
    public func storefront(_ code: String) -> Storefront? { storefronts.first { $0.code == code } }
}

/// Products of which a customer can have one at a time, at different levels of service.
public struct SubscriptionGroup: Sendable, Hashable, Codable, Identifiable {
    /// What transactions carry as `subscriptionGroupIdentifier`.
    public var id: String
    /// The reference name.
    public var name: String

    /// A group.
    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}

/// A country's App Store.
public struct Storefront: Sendable, Hashable, Codable {
    /// The ISO 3166-1 alpha-3 code, such as `USA`.
    public var code: String
    /// The App Store's number for it, such as `143441`.
    public var id: String
    /// The ISO 4217 code of its currency, such as `USD`.
    public var currency: String

    /// A storefront.
    public init(code: String, id: String, currency: String) {
        self.code = code
        self.id = id
        self.currency = currency
    }

    /// The United States.
    public static let usa = Self(code: "USA", id: "143441", currency: "USD")
}

extension Catalogue {
    /// Has an offer code end.
    ///
    /// - Returns: Whether the product has one of this identifier.
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
