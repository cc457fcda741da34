// Validates an app receipt for one app, and reads a transaction ID for the App Store Server API.
//
//     swift run example-validate-receipt receipt.b64
//
// The file contains the receipt of `com.example.app`, as bytes or in base64. Replace the bundle ID below with your own.
import AppStoreReceipts
import Foundation

guard CommandLine.arguments.count == 2 else {
    let usage = "usage: example-validate-receipt FILE\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(2)
}
let contents = try Data(contentsOf: URL(filePath: CommandLine.arguments[1]))

let validator = ReceiptValidator(bundleIDs: ["com.example.app"])
do {
    let receipt = try validator.validate(contents: contents)
    for purchase in validator.purchases(of: receipt) {
        print(purchase.productID, purchase.transactionID, purchase.purchaseDate)
    }
} catch {
    print("refused:", error.code, error.message)
}

// The App Store Server API returns the customer's history for any transaction ID. This ID is not verified: verify the
// transactions that the App Store returns.
if let transactionID = try UnverifiedReceipt.transactionID(inContents: contents) {
    print("transaction ID for the App Store Server API:", transactionID)
}
