public import Foundation

/// The server's response: the customer's state, and the result for each reported transaction.
///
/// Unknown members are ignored, so that the server can add some.
public struct CustomerResponse: Equatable, Sendable, Codable {
    /// The customer's identifier.
    public var id: String
    /// The environment of the state. The client ignores a response about another environment than it requested, and
    /// about another one than production if it requested none. Nil, for your own ``Backend``: the requested one.
    public var environment: String?
    /// The time of the server's clock.
    public var asOf: Date
    /// The active and inactive entitlements.
    public var entitlements: [Entitlement] = []
    /// The states of the subscription groups.
    public var groups: [SubscriptionGroup] = []
    /// The bought quantities of consumables.
    public var consumables: [ConsumableTotals] = []
    /// The entitlements of each product in the catalogue, for use while the server cannot be reached.
    public var productEntitlements: [ProductEntitlements]?
    /// The account token of the customer's purchases, if it differs from the customer's identifier.
    public var appAccountToken: UUID?
    /// The identifiers of the reported transactions that the server has stored. Only these may be finished.
    public var kept: [String]?
    /// The reported transactions that the server refuses.
    public var refused: [RefusedItem]?

    /// Makes a response, for tests and for your own ``Backend``.
    public init(id: String, environment: String? = nil, asOf: Date) {
        (self.id, self.environment, self.asOf) = (id, environment, asOf)
    }

    /// Whether the response is about the customer and the environment of a request. Otherwise, whoever controls the
    /// network could request the state in the sandbox, where purchases are free.
    func answers(_ request: PurchaseStateMachine.Request) -> Bool {
        // For a request without an environment, the server assumes production.
        let (name, requested) = (request.customer, request.environment ?? "Production")
        // UUIDs are compared without case, because the server writes lower case.
        guard id == name || UUID(uuidString: id).map({ $0 == UUID(uuidString: name) }) ?? false else { return false }
        return environment ?? requested == requested
    }

    /// The entitlements and subscription groups in which the server knows a purchase.
    var owned: [String] {
        entitlements.compactMap { $0.originalTransactionID == nil ? nil : $0.key }
            + groups.compactMap { $0.originalTransactionID == nil ? nil : $0.id }
    }

    /// Ends the entitlements of a transaction that was revoked after the response. The end is saved with the response.
    ///
    /// If it was charged ahead and revoked before its period began, access lasts until that beginning.
    mutating func endEntitlements(of revoked: DeviceTransaction) {
        let begin = revoked.revocationDate.flatMap { $0 < revoked.purchaseDate ? revoked.purchaseDate : nil }
        for i in entitlements.indices where revoked.signedDate > asOf && entitlements[i].isGranted(by: revoked) {
            entitlements[i].until = begin ?? asOf
            if begin == nil { entitlements[i].details = ["revoked"] }
        }
    }

    /// The decoder for a Counterfoil server's JSON, for your own ``Backend``: dates are milliseconds since 1970, and keys
    /// are in snake case, so a coding key for `product_id` is `productId`.
    public static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }
}

/// The state of a subscription group in the server's response.
public struct SubscriptionGroup: Hashable, Sendable, Codable {
    /// The group's identifier.
    public var id: String
    /// `new`, `active` or `inactive`.
    public var state: String
    /// The reasons for the state.
    public var details: [String]
    /// The end of the state.
    public var until: Date?
    /// The product of the latest period.
    public var productID: String?
    /// The original transaction identifier of the subscription that determines the state.
    public var originalTransactionID: String?
    /// Whether the customer is eligible for an introductory offer.
    public var isEligibleForIntroductoryOffer: Bool
    /// The step to offer the customer next.
    public var nextStep: NextStep

    private enum CodingKeys: String, CodingKey {
        case state, details, until, isEligibleForIntroductoryOffer, nextStep
        case id = "subscriptionGroupIdentifier"
        case productID = "productId"
        case originalTransactionID = "originalTransactionId"
    }
}

/// The quantity of a consumable that a customer bought.
public struct ConsumableTotals: Hashable, Sendable, Codable {
    /// The product's identifier.
    public var productID: String
    /// The bought quantity, including the revoked quantity.
    public var quantity: Int
    /// The quantity that was refunded or revoked.
    public var revokedQuantity: Int

    private enum CodingKeys: String, CodingKey {
        case quantity, revokedQuantity
        case productID = "productId"
    }
}

/// The entitlements that a product of the catalogue grants.
public struct ProductEntitlements: Hashable, Sendable, Codable {
    /// The product's identifier.
    public var productID: String
    /// The keys of the entitlements.
    public var entitlements: [String]
    /// The length of a non-renewing subscription in milliseconds.
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

/// A part of a report that the server refuses.
public struct RefusedItem: Equatable, Sendable, Codable {
    /// The transaction's identifier; nil if the signed text could not be read.
    public var id: String?
    /// The error code.
    public var code: String
    /// The refused member of the report, such as `signed_transactions[3]`.
    public var param: String?

    /// Makes a refusal.
    public init(id: String?, code: String, param: String? = nil) {
        (self.id, self.code, self.param) = (id, code, param)
    }

    /// Returns the refused transaction's identifier, from `id` or from the index in `param`. Nil for a renewal info.
    func transaction(of sent: [String]) -> String? {
        let parts = param?.split(separator: "[") ?? []
        if let member = parts.first, member != "signed_transactions" { return nil }
        if let id { return id }
        return parts.last.flatMap { Int(String($0.dropLast())) }.flatMap { sent.indices.contains($0) ? sent[$0] : nil }
    }
}
