public import AppStoreModels
public import Foundation

/// A unified app receipt: an installed app and its in-app purchases.
///
/// A value of this type is not necessarily verified: ``ReceiptValidator`` returns it inside a ``Verified`` value,
/// ``UnverifiedReceipt`` without any check.
public struct AppReceipt: Sendable, Hashable {
    /// Attribute 0, such as `ProductionSandbox`; nil when absent.
    public let receiptType: ReceiptType?

    /// Attribute 1: the app's Apple ID. Zero in sandbox and Xcode receipts.
    public let appAppleID: Int64?

    /// Attribute 2: the bundle identifier.
    public let bundleID: String

    /// Attribute 2 as encoded, with tag and length. The device hash covers these bytes.
    public let bundleIDOctets: Data

    /// Attribute 3: the app's version. `CFBundleVersion` on iOS, `CFBundleShortVersionString` on macOS.
    public let version: String

    /// Attribute 4: the opaque value, part of the device hash.
    public let opaqueValue: Data

    /// Attribute 5: the SHA-1 hash that binds the receipt to a device.
    public let deviceHash: Data

    /// Attribute 8: probably when the app was downloaded or bought. Absent in sandbox and Xcode receipts.
    public let downloadDate: Date?

    /// Attribute 9: a number that increases over the years, probably the version of the signing service.
    public let signingServiceVersion: Int64?

    /// Attribute 10: the age rating, such as `4+`.
    public let ageRating: String?

    /// Attribute 11: the vendor. Zero in sandbox receipts.
    public let vendorID: Int64?

    /// Attribute 12: when the receipt was created. Certificates are verified as of this instant.
    public let creationDate: Date

    /// Attribute 13: on iOS the system version as major · 10000 + minor · 100 + patch.
    public let systemVersion: Int64?

    /// Attribute 14: the kind of device. 1 on macOS.
    public let deviceKind: Int64?

    /// Attribute 15: the download. Zero in sandbox receipts.
    public let downloadID: Int64?

    /// Attribute 16: the revision of the app. Zero in sandbox receipts.
    public let versionExternalID: Int64?

    /// Attribute 17: the in-app purchases, in file order, which is neither chronological nor by identifier.
    public let purchases: [InAppPurchase]

    /// Attribute 18: when the customer first got the app. Always 2013-08-01 in sandbox receipts; absent in Xcode's.
    public let originalPurchaseDate: Date?

    /// Attribute 19: the version that the customer first got. Always `1.0` in sandbox receipts; absent in Xcode's.
    public let originalVersion: String?

    /// Attribute 21: when the receipt expires. Present in volume purchases and in Xcode receipts (the year 4001).
    public let expirationDate: Date?

    /// Attribute 22: a date of volume purchases whose meaning is not documented.
    public let volumePurchaseDate: Date?

    /// Attribute 23: the organisation of a volume purchase, according to other receipt parsers. Not documented.
    public let volumePurchaseOrganization: String?

    /// Attribute 25: 3 on iOS, 2 on macOS.
    public let platform: Int64?

    /// Attribute 32: when the app was pre-ordered.
    public let preorderDate: Date?

    /// The attributes without a property above, and those with a value of an unexpected type, in file order.
    public let otherAttributes: [ReceiptAttribute]

    /// Creates a receipt with these values, for tests.
    public init(
        receiptType: ReceiptType? = nil, appAppleID: Int64? = nil, bundleID: String, bundleIDOctets: Data = Data(),
        version: String, opaqueValue: Data = Data(), deviceHash: Data = Data(), downloadDate: Date? = nil,
        signingServiceVersion: Int64? = nil, ageRating: String? = nil, vendorID: Int64? = nil, creationDate: Date,
        systemVersion: Int64? = nil, deviceKind: Int64? = nil, downloadID: Int64? = nil,
        versionExternalID: Int64? = nil, purchases: [InAppPurchase] = [], originalPurchaseDate: Date? = nil,
        originalVersion: String? = nil, expirationDate: Date? = nil, volumePurchaseDate: Date? = nil,
        volumePurchaseOrganization: String? = nil, platform: Int64? = nil, preorderDate: Date? = nil,
        otherAttributes: [ReceiptAttribute] = []
    ) {
        self.receiptType = receiptType
        self.appAppleID = appAppleID
        self.bundleID = bundleID
        self.bundleIDOctets = bundleIDOctets
        self.version = version
        self.opaqueValue = opaqueValue
        self.deviceHash = deviceHash
        self.downloadDate = downloadDate
        self.signingServiceVersion = signingServiceVersion
        self.ageRating = ageRating
        self.vendorID = vendorID
        self.creationDate = creationDate
        self.systemVersion = systemVersion
        self.deviceKind = deviceKind
        self.downloadID = downloadID
        self.versionExternalID = versionExternalID
        self.purchases = purchases
        self.originalPurchaseDate = originalPurchaseDate
        self.originalVersion = originalVersion
        self.expirationDate = expirationDate
        self.volumePurchaseDate = volumePurchaseDate
        self.volumePurchaseOrganization = volumePurchaseOrganization
        self.platform = platform
        self.preorderDate = preorderDate
        self.otherAttributes = otherAttributes
    }

    /// The environment; nil if ``receiptType`` is absent or unknown. Only this attribute contains it: production and
    /// sandbox use the same certificates.
    public var environment: AppStoreEnvironment? { receiptType?.environment }

    /// Whether an organisation bought the app for its members (Volume Purchase Program).
    public var isVolumePurchase: Bool { receiptType == .productionVPP || receiptType == .productionVPPSandbox }
}

/// The kind of a unified receipt: attribute 0.
public struct ReceiptType: OpenEnumeration {
    /// The value in the receipt.
    public let rawValue: String

    /// Creates a type from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The App Store.
    public static let production = Self(rawValue: "Production")
    /// The App Store, bought by an organisation.
    public static let productionVPP = Self(rawValue: "ProductionVPP")
    /// Sandbox testers, TestFlight, App Review.
    public static let productionSandbox = Self(rawValue: "ProductionSandbox")
    /// A volume purchase in the sandbox.
    public static let productionVPPSandbox = Self(rawValue: "ProductionVPPSandbox")
    /// StoreKit testing in Xcode.
    public static let xcode = Self(rawValue: "Xcode")

    /// The environment of receipts of this type; nil for an unknown type.
    public var environment: AppStoreEnvironment? {
        switch self {
        case .production, .productionVPP: .production
        case .productionSandbox, .productionVPPSandbox: .sandbox
        case .xcode: .xcode
        default: nil
        }
    }
}
