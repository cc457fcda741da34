// Validates an app receipt for one app, and finds the transaction that leads from it to the server API.
//
//     swift run example-validate-receipt receipt.b64
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

// Any transaction of the customer opens the door to the history. This one is not verified: the App Store's answer will be.
if let transactionID = try UnverifiedReceipt.transactionID(inContents: contents) {
    print("ask for the history of", transactionID)
}
