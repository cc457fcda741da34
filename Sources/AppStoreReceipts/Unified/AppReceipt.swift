public import Foundation

/// A unified app receipt: what the App Store says about one installed app and its in-app purchases.
///
/// A value of this type alone says nothing about trust: ``ReceiptValidator`` hands it out inside a ``Verified``,
/// ``UnverifiedReceipt`` without any check.
public struct AppReceipt: Sendable, Hashable {
    /// Attribute 0, such as `ProductionSandbox`; nil when absent.
    public let receiptType: ReceiptType?

    /// Attribute 1: the app's Apple ID. Zero in sandbox and Xcode receipts.
    public let appAppleID: Int64?

    /// Attribute 2: the bundle identifier.
    public let bundleID: String

    /// Attribute 2 as encoded, tag and length included: what the device hash is computed over.
    public let bundleIDOctets: Data

    /// Attribute 3: the app's version. `CFBundleVersion` on iOS, `CFBundleShortVersionString` on macOS.
    public let version: String

    /// Attribute 4: the opaque value that goes into the device hash.
    public let opaqueValue: Data

    /// Attribute 5: the SHA-1 hash that ties the receipt to a device.
    public let deviceHash: Data

    /// Attribute 8: when the app was downloaded or bought, as far as is known. Absent in sandbox and Xcode receipts.
    public let downloadDate: Date?

    /// Attribute 9: a number that rises with the years and looks like the version of the signing service.
    public let signingServiceVersion: Int64?

    /// Attribute 10: the age rating, such as `4+`.
    public let ageRating: String?

    /// Attribute 11: the vendor. Zero in sandbox receipts.
    public let vendorID: Int64?

    /// Attribute 12: when the receipt was created. Certificates are judged as of this instant.
    public let creationDate: Date

    /// Attribute 13: on iOS the system version as major · 10000 + minor · 100 + patch.
    public let systemVersion: Int64?

    /// Attribute 14: the kind of device. 1 on macOS.
    public let deviceKind: Int64?

    /// Attribute 15: the download. Zero in sandbox receipts.
    public let downloadID: Int64?

    /// Attribute 16: the revision of the app. Zero in sandbox receipts.
    public let versionExternalID: Int64?

    /// Attribute 17: the in-app purchases, in file order, which is neither the order of time nor of identifiers.
    public let purchases: [InAppPurchase]

    /// Attribute 18: when the customer first got the app. Always 2013-08-01 in sandbox receipts; absent in Xcode's.
    public let originalPurchaseDate: Date?

    /// Attribute 19: the version that the customer first got. Always `1.0` in sandbox receipts; absent in Xcode's.
    public let originalVersion: String?

    /// Attribute 21: until when the receipt holds. Volume purchases and Xcode (in the year 4001) have it.
    public let expirationDate: Date?

    /// Attribute 22: a date of volume purchases whose meaning is not documented.
    public let volumePurchaseDate: Date?

    /// Attribute 23: the organisation of a volume purchase, by the account of other readers.
    public let volumePurchaseOrganization: String?

    /// Attribute 25: 3 on iOS, 2 on macOS.
    public let platform: Int64?

    /// Attribute 32: when the app was pre-ordered.
    public let preorderDate: Date?

    /// The attributes without a property above, and those whose value was not of the expected kind, in file order.
    public let otherAttributes: [ReceiptAttribute]

    /// A receipt with these values, as a test needs one; readers of receipts make the others.
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

    /// Where the receipt was made; nil when ``receiptType`` is absent or unknown. Only this attribute says: the
    /// certificates of production and sandbox are the same.
    public var environment: ReceiptEnvironment? { receiptType?.environment }

    /// Whether an organisation bought the app for its members (Volume Purchase Program).
    public var isVolumePurchase: Bool { receiptType == .productionVPP || receiptType == .productionVPPSandbox }
}

/// The kind of a unified receipt: attribute 0.
public struct ReceiptType: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The value as it stands in the receipt.
    public let rawValue: String

    /// A kind by its name.
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

    /// Where receipts of this kind are made; nil for a kind that is not known.
    public var environment: ReceiptEnvironment? {
        switch self {
        case .production, .productionVPP: .production
        case .productionSandbox, .productionVPPSandbox: .sandbox
        case .xcode: .xcode
        default: nil
        }
    }

    /// The value.
    public var description: String { rawValue }
}
