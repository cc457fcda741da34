import AppStoreReceipts
import Foundation
import StoreSimulator

/// The attributes of a valid receipt, which tests can change.
struct PayloadBuilder {
    static let device = Data([1, 2, 3, 4, 5, 6])
    static let bundleID = "com.example.app"

    var attributes: [ReceiptContents.Attribute]

    init(type: String? = "Production", purchases: [[UInt8]] = []) {
        let contents = ReceiptContents(
            type: type.map(ReceiptType.init), bundleID: Self.bundleID, version: "1.2",
            creationDate: Date(timeIntervalSince1970: 1_640_995_200), deviceID: Self.device,
            opaqueValue: Array(repeating: 7, count: 16))
        attributes = contents.attributes + purchases.map { (17, $0) }
    }

    static func purchase(_ extra: [ReceiptContents.Attribute] = [], without missing: Int? = nil) -> [UInt8] {
        let purchase = ReceiptPurchase(
            productID: "product", transactionID: "1000", purchaseDate: Date(timeIntervalSince1970: 1_609_459_200))
        return ReceiptContents.encode(
            (purchase.attributes + extra).filter { $0.type != missing }, sorted: false)
    }

    mutating func set(_ type: Int, _ value: [UInt8]?) {
        attributes.removeAll { $0.type == type }
        if let value { attributes.append((type, value)) }
    }

    var bytes: [UInt8] { ReceiptContents.encode(attributes, sorted: false) }
}
