internal import AppStoreTrust
internal import Foundation

extension AppReceipt {
    static let purchaseAttribute: Int64 = 17
    private static let unique: Set<Int64> = [
        0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 21, 22, 23, 25, 32,
    ]

    /// Decodes the content of a signed container. Only attributes 2, 3, 4, 5 and 12 are required, because Xcode omits
    /// most others.
    init(payload: [UInt8], limits: ReceiptLimits) throws(VerificationError) {
        var remaining = limits.attributes
        let attributes = try ReceiptAttribute.read(payload[...], "the payload", remaining: &remaining)
        var reader = try AttributeReader(
            attributes, unique: Self.unique, repeated: [Self.purchaseAttribute], "the receipt")
        receiptType = reader.text(0).map(ReceiptType.init)
        appAppleID = try reader.integer(1)
        bundleID = try reader.requiredText(2)
        bundleIDOctets = try reader.requiredOctets(2)
        version = try reader.requiredText(3)
        opaqueValue = try reader.requiredOctets(4)
        deviceHash = try reader.requiredOctets(5)
        downloadDate = reader.date(8)
        signingServiceVersion = try reader.integer(9)
        ageRating = reader.text(10)
        vendorID = try reader.integer(11)
        creationDate = try reader.requiredDate(12)
        systemVersion = try reader.integer(13)
        deviceKind = try reader.integer(14)
        downloadID = try reader.integer(15)
        versionExternalID = try reader.integer(16)
        var purchases: [InAppPurchase] = []
        for attribute in attributes where attribute.type == Self.purchaseAttribute {
            purchases.append(try InAppPurchase(Array(attribute.value)[...], remaining: &remaining))
        }
        self.purchases = purchases
        originalPurchaseDate = reader.date(18)
        originalVersion = reader.text(19)
        expirationDate = try reader.dateOrThrow(21)
        volumePurchaseDate = reader.date(22)
        volumePurchaseOrganization = reader.text(23)
        platform = try reader.integer(25)
        preorderDate = reader.date(32)
        otherAttributes = reader.others
    }
}

extension InAppPurchase {
    private static let unique: Set<Int64> = [
        1701, 1702, 1703, 1704, 1705, 1706, 1707, 1708, 1710, 1711, 1712, 1713, 1719, 1720, 1721,
    ]

    init(_ bytes: ArraySlice<UInt8>, remaining: inout Int) throws(VerificationError) {
        let attributes = try ReceiptAttribute.read(bytes, "a purchase", remaining: &remaining)
        var reader = try AttributeReader(attributes, unique: Self.unique, "a purchase")
        quantity = try reader.integer(1701)
        productID = try reader.requiredText(1702)
        transactionID = try reader.requiredText(1703)
        purchaseDate = try reader.requiredDate(1704)
        originalTransactionID = reader.text(1705)
        originalPurchaseDate = reader.date(1706)
        productType = try reader.integer(1707).map(ReceiptProductType.init)
        expirationDate = try reader.dateOrThrow(1708)
        productAppleID = try reader.integer(1710)
        webOrderLineItemID = try reader.integer(1711).flatMap { $0 == 0 ? nil : $0 }
        cancellationDate = try reader.dateOrThrow(1712)
        isTrialPeriod = try reader.integer(1713).map { $0 != 0 }
        isInIntroductoryOfferPeriod = try reader.integer(1719).map { $0 != 0 }
        cancellationReason = try reader.integer(1720)
        promotionalOfferID = reader.text(1721)
        otherAttributes = reader.others
    }
}
