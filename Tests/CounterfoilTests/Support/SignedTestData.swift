import AppStoreModels
import AppStoreReceipts
import Foundation
import StoreSimulator
import TestSupport

/// Data for the command, signed by the tests' own authorities, whose roots are in files.
struct SignedTestData: Sendable {
    let signedData: Authority
    let receipts: ReceiptAuthority
    let folder: URL

    /// Creating RSA keys is slow, so they are created once per run.
    static let shared = Result { try SignedTestData() }

    static let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
    static let device = "10203040-5060-7080-90A0-B0C0D0E0F000"

    private init() throws {
        signedData = try Authority(now: Self.now)
        receipts = try ReceiptAuthority(now: Self.now)
        folder = FileManager.default.temporaryDirectory.appending(path: "counterfoil-test-data-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(signedData.rootPEM().utf8).write(to: root)
        try Data(receipts.rootPEM().utf8).write(to: receiptRoot)
        try Data(receipts.xcode.der).write(to: xcode)
    }

    var root: URL { folder.appending(path: "root.pem") }
    var receiptRoot: URL { folder.appending(path: "receipt-root.pem") }
    var xcode: URL { folder.appending(path: "xcode.cer") }

    func transaction(product: String = "monthly", environment: AppStoreEnvironment = .production) throws -> String {
        try signedData.sign(
            JWSTransactionDecodedPayload(
                transactionId: "2", originalTransactionId: "1", bundleId: TestStore.bundleId, productId: product,
                purchaseDate: Self.now - 60, originalPurchaseDate: Self.now - 60, quantity: 1,
                type: .autoRenewableSubscription, inAppOwnershipType: .purchased, signedDate: Self.now,
                environment: environment))
    }

    func receipt(
        type: ReceiptType = .production, bundleID: String = TestStore.bundleId, product: String = "monthly",
        transactions: [String] = ["2"], created: Date = now
    ) throws -> Data {
        let device = UUID(uuidString: Self.device).map { withUnsafeBytes(of: $0.uuid) { Data($0) } }
        return try receipts.sign(
            ReceiptContents(
                type: type, bundleID: bundleID, version: "1.2", originalVersion: "1.0", creationDate: created,
                deviceID: device ?? Data(), opaqueValue: Array(0..<16),
                purchases: transactions.map {
                    ReceiptPurchase(productID: product, transactionID: $0, purchaseDate: created - 60)
                }))
    }
}
