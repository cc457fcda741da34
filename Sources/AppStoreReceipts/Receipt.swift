public import AppStoreModels
public import Foundation

/// A decoded receipt of either format.
@nonexhaustive
public enum Receipt: Sendable, Hashable {
    /// A unified receipt of an app with all its purchases.
    case app(AppReceipt)
    /// A transaction receipt of one purchase, in the style of iOS 6.
    case transaction(LegacyReceipt)

    /// The bundle identifier of the app.
    public var bundleID: String {
        switch self {
        case .app(let receipt): receipt.bundleID
        case .transaction(let receipt): receipt.bundleID
        }
    }

    /// The version of the app; nil if a transaction receipt does not contain it.
    public var version: String? {
        switch self {
        case .app(let receipt): receipt.version
        case .transaction(let receipt): receipt.version
        }
    }

    /// The environment; nil if it is unknown. See ``LegacyReceipt/environment``.
    public var environment: AppStoreEnvironment? {
        switch self {
        case .app(let receipt): receipt.environment
        case .transaction(let receipt): receipt.environment
        }
    }

    /// The instant as of which the signer's certificates are verified: the creation date, or the purchase date of a
    /// transaction receipt, which has no creation date.
    public var signedDate: Date {
        switch self {
        case .app(let receipt): receipt.creationDate
        case .transaction(let receipt): receipt.purchaseDate
        }
    }

    /// When the receipt itself expires; nil for never. Not the end of a subscription.
    public var expirationDate: Date? {
        switch self {
        case .app(let receipt): receipt.expirationDate
        case .transaction: nil
        }
    }
}

extension Verified where Payload == Receipt {
    /// The verified unified receipt; nil for a transaction receipt.
    public var appReceipt: Verified<AppReceipt>? {
        guard case .app(let receipt) = payload else { return nil }
        return Verified<AppReceipt>(checked: receipt, text: text, trace: trace)
    }

    /// The verified transaction receipt; nil for a unified receipt.
    public var transactionReceipt: Verified<LegacyReceipt>? {
        guard case .transaction(let receipt) = payload else { return nil }
        return Verified<LegacyReceipt>(checked: receipt, text: text, trace: trace)
    }
}
