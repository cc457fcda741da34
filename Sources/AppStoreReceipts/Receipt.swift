public import Foundation

/// A decoded receipt of either format.
@nonexhaustive
public enum Receipt: Sendable, Hashable {
    /// A unified receipt of an app with all its purchases.
    case app(AppReceipt)
    /// A transaction receipt of one purchase, as iOS 6 had it.
    case transaction(LegacyReceipt)

    /// The bundle identifier of the app.
    public var bundleID: String {
        switch self {
        case .app(let receipt): receipt.bundleID
        case .transaction(let receipt): receipt.bundleID
        }
    }

    /// The version of the app; nil where a transaction receipt has none.
    public var version: String? {
        switch self {
        case .app(let receipt): receipt.version
        case .transaction(let receipt): receipt.version
        }
    }

    /// Where the receipt was made; nil where that is not known. See ``LegacyReceipt/environment``.
    public var environment: ReceiptEnvironment? {
        switch self {
        case .app(let receipt): receipt.environment
        case .transaction(let receipt): receipt.environment
        }
    }

    /// The instant as of which the signer's certificates are judged: the creation, or the purchase in a transaction receipt,
    /// which names no other.
    public var signedDate: Date {
        switch self {
        case .app(let receipt): receipt.creationDate
        case .transaction(let receipt): receipt.purchaseDate
        }
    }

    /// When the receipt ceases to hold; nil for never. Not the end of a subscription.
    public var expirationDate: Date? {
        switch self {
        case .app(let receipt): receipt.expirationDate
        case .transaction: nil
        }
    }
}

extension Verified where Payload == Receipt {
    /// The same, when it is a unified receipt.
    public var appReceipt: Verified<AppReceipt>? {
        guard case .app(let receipt) = payload else { return nil }
        return Verified<AppReceipt>(checked: receipt, text: text, trace: trace)
    }

    /// The same, when it is a transaction receipt.
    public var transactionReceipt: Verified<LegacyReceipt>? {
        guard case .transaction(let receipt) = payload else { return nil }
        return Verified<LegacyReceipt>(checked: receipt, text: text, trace: trace)
    }
}
