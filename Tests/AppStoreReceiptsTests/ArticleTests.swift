import AppStoreReceipts
import AppStoreTrust
import Foundation
import TestSupport
import Testing

@Suite struct `The code of the articles` {
    @Test func `Every line of code in the articles occurs in this file`() throws {
        #expect(try Articles.uncompiled(of: "AppStoreReceipts", in: #filePath) == [])
    }

    @Test func `The articles' code refuses a text that is not a receipt`() throws {
        let (text, identifierForVendor, secret, body) = ("MAA=", Data(), "secret", Data("{}".utf8))
        func short() throws -> Verified<Receipt> {
            let validator = ReceiptValidator(bundleIDs: ["com.example.app"], environments: [.production])
            let receipt = try validator.validate(base64: text)
            return receipt
        }
        #expect(throws: VerificationError.self) { try short() }
        func long() throws {
            let validator = ReceiptValidator(bundleIDs: ["com.example.app"], environments: [.production, .sandbox])

            let receipt = try validator.authenticate(base64: text)  // signature and chain
            try validator.checkEnvironment(receipt)
            try validator.checkApp(receipt)
            try validator.checkDevice(identifierForVendor, of: receipt)
            try validator.checkExpiration(receipt)
            for purchase in validator.purchases(of: receipt) where purchase.cancellationDate == nil {
                print(purchase.productID)
            }
        }
        #expect(throws: VerificationError.self) { try long() }
        func identify() throws {
            if let transaction = try UnverifiedReceipt.transactionID(in: text) {
                print(transaction)  // Get Transaction History with this identifier.
            } else {
                // A receipt without purchases: a new customer.
            }
        }
        #expect(throws: VerificationError.self) { try identify() }
        let endpoint = VerifyReceiptEndpoint(
            validator: ReceiptValidator(), environment: .production, sharedSecrets: [secret])
        let response = endpoint.response(method: "POST", body: body)
        #expect(response.status == .malformed)
    }
}
