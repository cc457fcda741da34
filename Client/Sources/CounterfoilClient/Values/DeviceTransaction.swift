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
        appAccountToken: UUID? = nil, environment: String, signedDate: Date, jws: String, isVerified: Bool
    ) {
        self.id = id
        self.originalID = originalID
        self.productID = productID
        self.kind = kind
        self.quantity = quantity
        self.purchaseDate = purchaseDate
        self.expirationDate = expirationDate
        self.revocationDate = revocationDate
        self.isUpgraded = isUpgraded
        self.appAccountToken = appAccountToken
        self.environment = environment
        self.signedDate = signedDate
        self.jws = jws
        self.isVerified = isVerified
    }
}

/// Reads what a signed text says, without checking who signed it.
package enum SignedText {
    package static func payload<Value: Decodable>(of jws: String) -> Value? {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var text = parts[1].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        guard let data = Data(base64Encoded: text) else { return nil }
        return try? CustomerAnswer.decoder.decode(Value.self, from: data)
    }

    /// The environment that a signed transaction or app transaction names.
    package static func environment(of jws: String) -> String? {
        struct Payload: Decodable {
            var environment: String?
            var receiptType: String?
        }
        let payload: Payload? = payload(of: jws)
        return payload?.environment ?? payload?.receiptType
    }
}
