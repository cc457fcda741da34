public import Foundation

/// What kind of product was bought. The texts are those of the App Store's signed transactions.
public struct ProductKind: RawRepresentable, Hashable, Sendable, Codable {
    /// The text in a signed transaction.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Bought again and again, used up.
    public static let consumable = Self(rawValue: "Consumable")
    /// Bought once, for good.
    public static let nonConsumable = Self(rawValue: "Non-Consumable")
    /// A subscription that renews.
    public static let autoRenewable = Self(rawValue: "Auto-Renewable Subscription")
    /// A subscription whose length only the app knows.
    public static let nonRenewing = Self(rawValue: "Non-Renewing Subscription")
}

/// How a customer came by a purchase. The texts are those of the App Store's signed transactions.
public struct Ownership: RawRepresentable, Hashable, Sendable, Codable {
    /// The text in a signed transaction.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Paid for.
    public static let purchased = Self(rawValue: "PURCHASED")
    /// Shared by somebody of the family.
    public static let familyShared = Self(rawValue: "FAMILY_SHARED")
    /// A seat that an organisation pays for.
    public static let assigned = Self(rawValue: "ASSIGNED")
}

/// A transaction on this device.
///
/// StoreKit's own type stays inside the store that hands it out, so that everything else builds without Apple's SDK.
public struct DeviceTransaction: Hashable, Sendable, Codable {
    /// The identifier of this transaction.
    public var id: UInt64
    /// The identifier of the first transaction of the purchase.
    public var originalID: UInt64
    /// What was bought.
    public var productID: String
    /// What kind of product it is.
    public var kind: ProductKind
    /// How many were bought.
    public var quantity: Int
    /// When it was bought or renewed.
    public var purchaseDate: Date
    /// When a subscription's period ends.
    public var expirationDate: Date?
    /// When the App Store took it back.
    public var revocationDate: Date?
    /// Whether a better subscription of the same group took its place.
    public var isUpgraded: Bool
    /// Whether the customer paid for it, or has it from the family or an organisation.
    public var ownership: Ownership
    /// The account that the app named when it bought.
    public var appAccountToken: UUID?
    /// Where it was bought: `Production`, `Sandbox`, `Xcode`.
    public var environment: String
    /// When the App Store signed it. Of two with the same `id`, the later one holds.
    public var signedDate: Date
    /// The signed text, which the server verifies.
    public var jws: String
    /// Whether StoreKit verified the signature on the device.
    public var isVerified: Bool

    package init(
        id: UInt64, originalID: UInt64, productID: String, kind: ProductKind, quantity: Int = 1, purchaseDate: Date,
        expirationDate: Date? = nil, revocationDate: Date? = nil, isUpgraded: Bool = false,
        ownership: Ownership = .purchased, appAccountToken: UUID? = nil, environment: String, signedDate: Date,
        jws: String, isVerified: Bool
    ) {
        (self.id, self.originalID, self.productID, self.kind) = (id, originalID, productID, kind)
        (self.purchaseDate, self.expirationDate, self.revocationDate) = (purchaseDate, expirationDate, revocationDate)
        (self.isUpgraded, self.quantity, self.environment) = (isUpgraded, quantity, environment)
        self.appAccountToken = appAccountToken
        (self.signedDate, self.jws, self.isVerified, self.ownership) = (signedDate, jws, isVerified, ownership)
    }
}

/// Reads what a signed text says, without checking who signed it.
package enum SignedText {
    package static func payload<Value: Decodable>(of jws: String) -> Value? {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let data = bytes(parts[1]) else { return nil }
        return try? CustomerAnswer.decoder.decode(Value.self, from: data)
    }

    /// What a text in base64url stands for.
    static func bytes(_ text: Substring) -> Data? {
        let text = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
    }

    private struct Payload: Decodable {
        var environment: String?
        var receiptType: String?
        var transactionReason: String?
    }

    /// Whether the App Store made a signed transaction by itself, when a period ended.
    static func isRenewal(_ jws: String) -> Bool { (payload(of: jws) as Payload?)?.transactionReason == "RENEWAL" }

    /// The environment that a signed transaction or app transaction names.
    package static func environment(of jws: String) -> String? {
        let payload: Payload? = payload(of: jws)
        return payload?.environment ?? payload?.receiptType
    }
}
