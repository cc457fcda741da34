public import Foundation

/// The server's answer: the customer, and what became of each transaction that was reported.
///
/// Members that are not listed are ignored, so that the server may grow.
public struct CustomerAnswer: Equatable, Sendable, Codable {
    /// Whom it is about.
    public var id: String
    /// Of which environment it is.
    public var environment: String?
    /// The server's clock.
    public var asOf: Date
    /// What the customer has or had a right to.
    public var entitlements: [Entitlement] = []
    /// The states of the subscription groups.
    public var groups: [SubscriptionGroup] = []
    /// What was bought of consumables.
    public var consumables: [ConsumableBalance] = []
    /// What each product of the catalogue gives, for when the server cannot be asked.
    public var productEntitlements: [ProductEntitlements]?
    /// The account token of the customer's purchases, where it is not the customer's identifier.
    public var appAccountToken: UUID?
    /// The transactions that the server keeps. Only these may be finished.
    public var kept: [String]?
    /// The transactions that the server refuses.
    public var refused: [Refusal]?

    /// Makes an answer, in tests and in backends of your own.
    public init(id: String, environment: String? = nil, asOf: Date) {
        (self.id, self.environment, self.asOf) = (id, environment, asOf)
    }

    /// The server writes identifiers that are UUIDs in lower case.
    func isAbout(_ customer: String) -> Bool {
        id == customer || UUID(uuidString: id).map { $0 == UUID(uuidString: customer) } ?? false
    }

    /// The server's instants are milliseconds, and its names are in snake case: what it calls `product_id` comes to
    /// a type's own keys as `productId`.
    package static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }
}

/// The state of a subscription group in the server's answer.
public struct SubscriptionGroup: Hashable, Sendable, Codable {
    /// The group.
    public var id: String
    /// `new`, `active` or `inactive`.
    public var state: String
    /// Why.
    public var details: [String]
    /// When the state ends.
    public var until: Date?
    /// The product of the latest period.
    public var productID: String?
    /// The subscription that decides.
    public var originalTransactionID: String?
    /// Whether the App Store would give an introductory offer.
    public var isEligibleForIntroductoryOffer: Bool
    /// What to show next.
    public var nextStep: NextStep

    private enum CodingKeys: String, CodingKey {
        case state, details, until, isEligibleForIntroductoryOffer, nextStep
        case id = "subscriptionGroupIdentifier"
        case productID = "productId"
        case originalTransactionID = "originalTransactionId"
    }
}

/// How many of a consumable a customer bought.
public struct ConsumableBalance: Hashable, Sendable, Codable {
    /// The product.
    public var productID: String
    /// How many were bought.
    public var quantity: Int
    /// How many of them were taken back.
    public var revokedQuantity: Int

    private enum CodingKeys: String, CodingKey {
        case quantity, revokedQuantity
        case productID = "productId"
    }
}

/// What a product of the catalogue gives.
public struct ProductEntitlements: Hashable, Sendable, Codable {
    /// The product.
    public var productID: String
    /// The entitlements.
    public var entitlements: [String]
    /// How long a non-renewing subscription lasts, in milliseconds.
    public var duration: Int64?

    /// Makes an entry.
    public init(_ productID: String, _ entitlements: [String], duration: Int64? = nil) {
        (self.productID, self.entitlements, self.duration) = (productID, entitlements, duration)
    }

    private enum CodingKeys: String, CodingKey {
        case entitlements
        case productID = "productId"
        case duration = "durationMs"
    }
}

/// What the server refuses of a report.
public struct Refusal: Equatable, Sendable, Codable {
    /// The transaction, or nothing where the text could not even be read.
    public var id: String?
    /// Why, in a word for programs.
    public var code: String
    /// What it is of the report: `signed_transactions[3]`.
    public var param: String?

    /// Makes a refusal.
    public init(id: String?, code: String, param: String? = nil) {
        (self.id, self.code, self.param) = (id, code, param)
    }
}
