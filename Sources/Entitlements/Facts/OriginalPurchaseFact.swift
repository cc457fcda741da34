internal import AppStoreModels
public import Foundation

/// When a customer first got the app, and which version, from an app transaction or an app receipt. Deleting and
/// reinstalling the app does not change it.
public struct OriginalPurchaseFact: Sendable, Hashable, Encodable {
    /// `originalApplicationVersion`, unchanged: the build number on iOS, the short version on the Mac.
    public var applicationVersion: String?
    /// `originalPurchaseDate`.
    public var purchaseDate: Date?
    /// `appTransactionId`; nil for receipts, which do not contain it.
    public var appTransactionID: String?
    /// When the App Store signed it.
    public var signedDate: Date
    /// Whether it comes from a test environment. The sandbox reports version 1.0 and August 2013 for everybody.
    public var isTestData: Bool

    /// Creates a fact. Omitted values are absent.
    public init(
        applicationVersion: String? = nil, purchaseDate: Date? = nil, appTransactionID: String? = nil,
        signedDate: Date, isTestData: Bool = false
    ) {
        self.applicationVersion = applicationVersion
        self.purchaseDate = purchaseDate
        self.appTransactionID = appTransactionID
        self.signedDate = signedDate
        self.isTestData = isTestData
    }

    private enum CodingKeys: String, CodingKey {
        case applicationVersion, purchaseDate, signedDate, isTestData
        case appTransactionID = "appTransactionId"
    }

    /// Whether this fact comes before another one. A total order with the earliest purchase first.
    func precedes(_ other: Self) -> Bool { order < other.order }

    private var order: (Date, ExactText, Date, ExactText, Int) {
        (
            purchaseDate ?? .distantFuture, ExactText(applicationVersion ?? ""), signedDate,
            ExactText(appTransactionID ?? ""), isTestData ? 1 : 0
        )
    }
}
