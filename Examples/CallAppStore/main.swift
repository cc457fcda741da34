// Fetches a customer's purchases from the App Store's sandbox, verifies and prints them.
//
//     swift run example-call-app-store key.p8 KEY_ID ISSUER_ID com.example.app TRANSACTION_ID
import AppStoreServer
import Foundation

let arguments = CommandLine.arguments
guard arguments.count == 6 else {
    let usage = "usage: example-call-app-store KEY_FILE KEY_ID ISSUER_ID BUNDLE_ID TRANSACTION_ID\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(2)
}
let key = try SigningKey(contentsOf: URL(filePath: arguments[1]), keyID: arguments[2])
let tokens = try APITokenSource(key: key, issuerID: arguments[3], bundleID: arguments[4])

// Use one client for the whole process: it observes Apple's rate limits. This one calls the sandbox.
let client = AppStoreServerClient(tokens: tokens, host: .sandbox)
let verifier = try SignedDataVerifier(
    .init(apps: .only([App(bundleID: arguments[4], environments: [.sandbox])])))

do {
    for try await page in client.transactionHistory(of: arguments[5]) {
        for text in page.signedTransactions {
            let transaction = try await verifier.transaction(text).payload
            print(transaction.purchaseDate, transaction.productId, transaction.transactionId)
        }
        // Store the revision after each page. With `after:` the next run fetches only new transactions.
        print("revision", page.revision)
    }
} catch let error as AppStoreServerError {
    print(error, error.isRetryable ? "(may work later)" : "")
}
