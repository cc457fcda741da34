// Validates an app receipt for one app, and finds the transaction that leads from it to the server API.
//
//     swift run example-validate-receipt receipt.b64
//
// where the file holds the receipt of `com.example.app`, as bytes or in base64. Put your own bundle ID below.
import AppStoreReceipts
import Foundation

guard CommandLine.arguments.count == 2 else { fatalError("name the file that holds the receipt") }
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

// The server API returns the customer's history for the identifier of any transaction. This one is not verified: verify
// what the App Store returns.
if let transactionID = try UnverifiedReceipt.transactionID(inContents: contents) {
    print("ask for the history of", transactionID)
}
