public import Foundation

/// When a customer first got the app, and at which version: what an app transaction or an app receipt says. It stays the same
/// when the app is deleted and loaded again.
public struct OriginalPurchaseFact: Sendable, Hashable, Encodable {
    /// `originalApplicationVersion`, as it was written: the build number on iOS, the short version on the Mac.
    public var applicationVersion: String?
    /// `originalPurchaseDate`.
    public var purchaseDate: Date?
    /// `appTransactionId`; a receipt has none.
    public var appTransactionID: String?
    /// When the App Store signed it.
    public var signedDate: Date
    /// Whether it is of a test environment. The sandbox says version 1.0 and August 2013 of everybody.
    public var isTestData: Bool

    /// States a fact. What is not given is absent.
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

    /// The one order of several, in which the earliest is first.
    func precedes(_ other: Self) -> Bool {
        let (date, otherDate) = (purchaseDate ?? .distantFuture, other.purchaseDate ?? .distantFuture)
        if date != otherDate { return date < otherDate }
        let (version, otherVersion) = (applicationVersion ?? "", other.applicationVersion ?? "")
        if version != otherVersion { return version.utf8.lexicographicallyPrecedes(otherVersion.utf8) }
        if signedDate != other.signedDate { return signedDate < other.signedDate }
        return (appTransactionID ?? "").utf8.lexicographicallyPrecedes((other.appTransactionID ?? "").utf8)
    }
}
