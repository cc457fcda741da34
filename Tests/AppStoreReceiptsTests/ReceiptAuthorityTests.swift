import AppStoreReceipts
import Foundation
import StoreSimulator
import Testing

@Suite struct `Receipts of a receipt authority` {
    static let device = Data(0..<16)

    @Test(
        arguments: [
            (.production, .production), (.productionVPP, .production), (.productionSandbox, .sandbox),
            (.xcode, .xcode),
        ] as [(ReceiptType, AppStoreEnvironment)])
    func `A receipt validates under its authority's root, for the device it was made for`(
        _ type: ReceiptType, _ environment: AppStoreEnvironment
    ) throws {
        let authority = try ReceiptAuthority.shared.get()
        let created = Date(timeIntervalSince1970: 1_700_000_000)
        var purchase = ReceiptPurchase(productID: "product", transactionID: "2", purchaseDate: created - 60)
        purchase.originalTransactionID = "1"
        purchase.productType = .autoRenewableSubscription
        purchase.expirationDate = created + 60
        purchase.webOrderLineItemID = 1 << 40
        purchase.isTrialPeriod = true
        let contents = ReceiptContents(
            type: type, bundleID: "com.example.app", version: "3", originalVersion: "1", creationDate: created,
            originalPurchaseDate: created - 3600, deviceID: Self.device, opaqueValue: [1, 2, 3],
            purchases: [purchase, purchase])
        let bytes = try authority.sign(contents)
        #expect((bytes[1] == 0x80) == (type == .xcode))

        let validator = ReceiptValidator(
            anchors: try TrustAnchors(certificates: [Data(authority.root.der)]),
            xcodeCertificates: try TrustAnchors(certificates: [Data(authority.xcode.der)]),
            environments: [environment])
        let verified = try validator.validate(contents: bytes, deviceID: Self.device)
        let receipt = try #require(verified.appReceipt?.payload)
        #expect(receipt.receiptType == type)
        #expect(receipt.creationDate == created)
        #expect(receipt.originalVersion == "1")
        #expect(receipt.originalPurchaseDate == created - 3600)
        #expect(receipt.purchases.map(\.transactionID) == ["2", "2"])
        #expect(receipt.purchases.first?.expirationDate == created + 60)
        #expect(receipt.purchases.first?.webOrderLineItemID == 1 << 40)
        #expect(receipt.purchases.first?.isTrialPeriod == true)
        #expect(receipt.otherAttributes.isEmpty)
        #expect(throws: VerificationError.self) { try ReceiptValidator().validate(contents: bytes) }
        #expect(throws: refusal(.wrongDevice)) { try validator.validate(contents: bytes, deviceID: Data([1])) }
    }
}
