// Signs a promotional offer in both formats that StoreKit takes.
//
//     swift run example-sign-offer key.p8 KEY_ID ISSUER_ID com.example.app PRODUCT_ID OFFER_ID
import AppStoreServer
import Foundation

let arguments = CommandLine.arguments
guard arguments.count == 7 else {
    let usage = "usage: example-sign-offer KEY_FILE KEY_ID ISSUER_ID BUNDLE_ID PRODUCT_ID OFFER_ID\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(2)
}
let key = try SigningKey(contentsOf: URL(filePath: arguments[1]), keyID: arguments[2])
let signer = try OfferSigner(key: key, issuerID: arguments[3], bundleID: arguments[4])

// Check that the customer is eligible before you sign an offer. If the app buys with an account token, pass the same
// token as `appAccountToken:` in the original format.
let offer = try signer.promotionalOffer(productID: arguments[5], offerID: arguments[6])
print("for StoreKit's original offer call:", offer.encodedSignature, offer.nonce, offer.timestamp)
print("for StoreKit's compact JWS:", try signer.promotionalOfferV2(productID: arguments[5], offerID: arguments[6]))
