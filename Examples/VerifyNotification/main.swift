// Verifies an App Store Server Notification and the transaction in it, for two apps and both environments at once.
//
//     swift run example-verify-notification notification.json
//
// where the file holds the body that the App Store posted: {"signedPayload":"…"}. Put your own apps below.
import AppStoreServer
import Foundation

// One verifier for the whole process: it is a value that can be shared, and it caches verified certificate chains.
var configuration = SignedDataVerifier.Configuration(
    apps: .only([
        App(bundleID: "com.example.app", appAppleID: 1_234_567_890),
        App(bundleID: "com.example.other", appAppleID: 1_234_567_891, environments: [.sandbox]),
    ]))
// Revoked certificates are refused. If the responder cannot be reached, the notification is accepted.
configuration.revocation = RevocationOptions(policy: .soft)
let verifier = try SignedDataVerifier(configuration)

guard CommandLine.arguments.count == 2 else { fatalError("name the file that holds the body of the notification") }
let body = try JSONDecoder().decode(
    ResponseBodyV2.self, from: Data(contentsOf: URL(filePath: CommandLine.arguments[1])))
do {
    let notification = try await verifier.notification(body.signedPayload)
    print(notification.payload.notificationType.rawValue, notification.payload.notificationUUID)
    if case .purchase(let transaction, _) = try await verifier.content(of: notification) {
        print(transaction.payload.productId, transaction.payload.expiresDate as Any)
    }
} catch {
    // `code` is for programs, `message` for people. Only after `revocation_unknown` can another attempt succeed.
    print("refused:", error.code, error.message, error.isRetryable ? "(try again)" : "")
}
