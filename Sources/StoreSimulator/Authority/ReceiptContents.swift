package import AppStoreReceipts
internal import Crypto
package import Foundation

/// What a unified receipt is to say.
package struct ReceiptContents: Sendable {
    /// Attribute 0, and with it the form: that of the App Store, or that of Xcode.
    package var type: ReceiptType?
    package var bundleID: String
    package var version: String
    package var originalVersion: String?
    package var creationDate: Date
    package var originalPurchaseDate: Date?
    /// The end of a volume purchase.
    package var expirationDate: Date?
    package var appAppleID: Int64?
    /// The device that the receipt is for: 16 bytes on iOS, 6 on macOS.
    package var deviceID: Data
    /// Goes into the device hash.
    package var opaqueValue: [UInt8]
    package var purchases: [ReceiptPurchase]
    /// What the App Store says besides; nil leaves it out, as Xcode does.
    package var details: ReceiptDetails?

    /// An attribute of the payload or of a purchase, its value DER encoded.
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

    /// The attributes by ascending number.
    package var attributes: [Attribute] {
        let bundle = RawDER.utf8(bundleID)
        // The hash is over the bundle identifier as encoded, and over the opaque value before it.
        let hash = Insecure.SHA1.hash(data: deviceID + Data(opaqueValue) + Data(bundle))
        var list = AttributeList()
        list.add(0, text: type?.rawValue)
        list.add(1, number: appAppleID)
        list.all += [(2, bundle), (3, RawDER.utf8(version)), (4, opaqueValue), (5, Array(hash))]
        if let details {
            // Nobody knows what they mean. They look encrypted.
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
        return list.all
    }

    /// The payload. The App Store sorts the attributes as DER demands, by their bytes; Xcode leaves them as they are.
    package var encoded: [UInt8] { Self.encode(attributes, sorted: type != .xcode) }

    /// A SET of any attributes.
    package static func encode(_ attributes: [Attribute], sorted: Bool) -> [UInt8] {
        let elements = attributes.map { type, value in
            // Attribute 4 alone has version 2.
            RawDER.sequence(RawDER.integer(Int64(type)), RawDER.integer(type == 4 ? 2 : 1), RawDER.octets(value))
        }
        return RawDER.set(sorted ? elements.sorted { $0.lexicographicallyPrecedes($1) } : elements)
    }
}

/// What the App Store's receipts say of an installation that no app needs to know: of an iPhone, unless it is changed. The
/// sandbox has no date, and 0 for what would tell apps and downloads apart.
package struct ReceiptDetails: Sendable {
    /// When the app was downloaded.
    package var downloadDate: Date?
    /// Four characters: `P305`.
    package var signingService: Int64 = 0x5033_3035
    package var ageRating = "4+"
    package var vendorID: Int64 = 0
    /// iOS 18.6.2.
    package var systemVersion: Int64 = 180_602
    package var deviceKind: Int64 = 254
    package var downloadID: Int64 = 0
    package var versionExternalID: Int64 = 0
    /// 3 is iOS.
    package var platform: Int64 = 3
}

/// An in-app purchase of a receipt. What is nil is left out.
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
    /// Nil leaves out as well what has no value, which the App Store writes and Xcode does not.
    package var productAppleID: Int64?

    package init(productID: String, transactionID: String, purchaseDate: Date) {
        self.productID = productID
        self.transactionID = transactionID
        self.purchaseDate = purchaseDate
    }

    /// The attributes by ascending number.
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
