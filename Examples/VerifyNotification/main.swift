// Verifies an App Store Server Notification and the transaction in it, for two apps and both environments at once.
//
//     swift run example-verify-notification notification.json
//
// The file contains the body that the App Store posted: {"signedPayload":"…"}. Replace the apps below with your own.
import AppStoreServer
import Foundation

// Use one verifier for the whole process: it can be shared between tasks, and it caches verified certificate chains.
var configuration = SignedDataVerifier.Configuration(
    apps: .only([
        App(bundleID: "com.example.app", appAppleID: 1_234_567_890),
        App(bundleID: "com.example.other", appAppleID: 1_234_567_891, environments: [.sandbox]),
    ]))
// Refuse revoked certificates, but accept the notification if the OCSP responder cannot be reached.
configuration.revocation = RevocationOptions(policy: .soft)
let verifier = try SignedDataVerifier(configuration)

guard CommandLine.arguments.count == 2 else {
    let usage = "usage: example-verify-notification FILE\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(2)
}
let body = try JSONDecoder().decode(
    ResponseBodyV2.self, from: Data(contentsOf: URL(filePath: CommandLine.arguments[1])))
do {
    let notification = try await verifier.notification(body.signedPayload)
    print(notification.payload.notificationType.rawValue, notification.payload.notificationUUID)
    if case .purchase(let transaction, _) = try await verifier.content(of: notification) {
        print(transaction.payload.productId, transaction.payload.expiresDate as Any)
    }
} catch {
    // Programs use `code`, people read `message`. Only `revocation_unknown` is retryable.
    print("refused:", error.code, error.message, error.isRetryable ? "(try again)" : "")
}
