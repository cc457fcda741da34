package import AppStoreReceipts
internal import Crypto
package import Foundation

/// The contents of a unified receipt.
package struct ReceiptContents: Sendable {
    /// Attribute 0. It also selects the format: that of the App Store, or that of Xcode.
    package var type: ReceiptType?
    package var bundleID: String
    package var version: String
    package var originalVersion: String?
    package var creationDate: Date
    package var originalPurchaseDate: Date?
    /// The expiration date of a volume purchase.
    package var expirationDate: Date?
    package var preorderDate: Date?
    package var appAppleID: Int64?
    /// The identifier of the device that the receipt is for: 16 bytes on iOS, 6 on macOS.
    package var deviceID: Data
    /// The opaque value, part of the input of the device hash.
    package var opaqueValue: [UInt8]
    package var purchases: [ReceiptPurchase]
    /// Further attributes of the App Store; nil omits them, as Xcode does.
    package var details: ReceiptDetails?

    /// An attribute of the payload or of a purchase, with its DER-encoded value.
    package typealias Attribute = (type: Int, value: [UInt8])

    package init(
        type: ReceiptType? = .production, bundleID: String, version: String, originalVersion: String? = nil,
        creationDate: Date, originalPurchaseDate: Date? = nil, expirationDate: Date? = nil, appAppleID: Int64? = nil,
        deviceID: Data, opaqueValue: [UInt8], purchases: [ReceiptPurchase] = []
    ) {
        self.type = type
        self.bundleID = bundleID
        self.version = version
        self.originalVersion = originalVersion
        self.creationDate = creationDate
        self.originalPurchaseDate = originalPurchaseDate
        self.expirationDate = expirationDate
        self.appAppleID = appAppleID
        self.deviceID = deviceID
        self.opaqueValue = opaqueValue
        self.purchases = purchases
    }

    /// The attributes in ascending order of their types.
    package var attributes: [Attribute] {
        let bundle = RawDER.utf8(bundleID)
        // The hash covers the device identifier, the opaque value and the DER-encoded bundle identifier.
        let hash = Insecure.SHA1.hash(data: deviceID + Data(opaqueValue) + Data(bundle))
        var list = AttributeList()
        list.add(0, text: type?.rawValue)
        list.add(1, number: appAppleID)
        list.all += [(2, bundle), (3, RawDER.utf8(version)), (4, opaqueValue), (5, Array(hash))]
        if let details {
            // Attributes 6 and 7 are undocumented; they look encrypted.
            for type in [6, 7] {
                list.all.append((type, Array(SHA512.hash(data: opaqueValue + [UInt8(type)]))))
            }
            list.add(8, date: details.downloadDate, orEmpty: true)
        }
        list.add(9, number: details?.signingService)
        list.add(10, ia5: details?.ageRating)
        list.add(11, number: details?.vendorID)
        list.add(12, date: creationDate)
        list.add(13, number: details?.systemVersion)
        list.add(14, number: details?.deviceKind)
        list.add(15, number: details?.downloadID)
        list.add(16, number: details?.versionExternalID)
        list.all += purchases.map { (17, Self.encode($0.attributes, sorted: type != .xcode)) }
        list.add(18, date: originalPurchaseDate)
        list.add(19, text: originalVersion)
        if details != nil { list.add(20, text: "") }
        list.add(21, date: expirationDate)
        list.add(25, number: details?.platform)
        list.add(32, date: preorderDate)
        return list.all
    }

    /// The encoded payload. The App Store sorts the attributes by their bytes, as DER requires; Xcode does not sort
    /// them.
    package var encoded: [UInt8] { Self.encode(attributes, sorted: type != .xcode) }

    /// Returns a SET of attributes.
    package static func encode(_ attributes: [Attribute], sorted: Bool) -> [UInt8] {
        let elements = attributes.map { type, value in
            // Only attribute 4 has version 2.
            RawDER.sequence(RawDER.integer(Int64(type)), RawDER.integer(type == 4 ? 2 : 1), RawDER.octets(value))
        }
        return RawDER.set(sorted ? elements.sorted { $0.lexicographicallyPrecedes($1) } : elements)
    }
}

/// Attributes of an installation in the App Store's receipts that apps do not use. The defaults are those of an iPhone
/// in the sandbox, where there is no download date and the identifiers of vendor, download and version are 0.
package struct ReceiptDetails: Sendable {
    /// When the app was downloaded.
    package var downloadDate: Date?
    /// The four characters `P305`.
    package var signingService: Int64 = 0x5033_3035
    package var ageRating = "4+"
    package var vendorID: Int64 = 0
    /// The system version: iOS 18.6.2.
    package var systemVersion: Int64 = 180_602
    package var deviceKind: Int64 = 254
    package var downloadID: Int64 = 0
    package var versionExternalID: Int64 = 0
    /// The platform: 3 is iOS.
    package var platform: Int64 = 3
}

/// An in-app purchase in a receipt. Properties that are nil are omitted.
package struct ReceiptPurchase: Sendable {
    package var quantity: Int64 = 1
    package var productID: String
    package var transactionID: String
    package var purchaseDate: Date
    package var originalTransactionID: String?
    package var originalPurchaseDate: Date?
    package var productType: ReceiptProductType?
    package var expirationDate: Date?
    package var webOrderLineItemID: Int64?
    package var cancellationDate: Date?
    package var isTrialPeriod: Bool?
    package var isInIntroductoryOfferPeriod: Bool?
    package var cancellationReason: Int64?
    package var promotionalOfferID: String?
    /// The Apple ID of the product. If nil, attributes without a value are omitted, too; the App Store writes them,
    /// Xcode does not.
    package var productAppleID: Int64?

    package init(productID: String, transactionID: String, purchaseDate: Date) {
        self.productID = productID
        self.transactionID = transactionID
        self.purchaseDate = purchaseDate
    }

    /// The attributes in ascending order of their types.
    package var attributes: [ReceiptContents.Attribute] {
        let isWhole = productAppleID != nil
        var list = AttributeList()
        list.add(1701, number: quantity)
        list.add(1702, text: productID)
        list.add(1703, text: transactionID)
        list.add(1704, date: purchaseDate)
        list.add(1705, text: originalTransactionID)
        list.add(1706, date: originalPurchaseDate)
        list.add(1707, number: productType?.rawValue)
        list.add(1708, date: expirationDate, orEmpty: isWhole)
        if isWhole { list.add(1709, text: "") }
        list.add(1710, number: productAppleID)
        list.add(1711, number: webOrderLineItemID)
        list.add(1712, date: cancellationDate, orEmpty: isWhole)
        list.add(1713, number: isTrialPeriod.map { $0 ? 1 : 0 })
        for type in 1714...1718 where isWhole { list.add(type, text: "") }
        list.add(1719, number: isInIntroductoryOfferPeriod.map { $0 ? 1 : 0 })
        list.add(1720, number: cancellationReason)
        list.add(1721, text: promotionalOfferID)
        if isWhole { list.add(1722, number: 0) }
        return list.all
    }
}

private struct AttributeList {
    var all: [ReceiptContents.Attribute] = []

    mutating func add(_ type: Int, text: String?) {
        if let text { all.append((type, RawDER.utf8(text))) }
    }

    mutating func add(_ type: Int, number: Int64?) {
        if let number { all.append((type, RawDER.integer(number))) }
    }

    mutating func add(_ type: Int, ia5 text: String?) {
        if let text { all.append((type, RawDER.ia5(text))) }
    }

    mutating func add(_ type: Int, date: Date?, orEmpty isWritten: Bool = false) {
        add(type, ia5: date?.formatted(.iso8601) ?? (isWritten ? "" : nil))
    }
}
