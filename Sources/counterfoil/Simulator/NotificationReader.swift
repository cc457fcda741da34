import AppStoreModels
import AppStoreReceipts
import AppStoreServer
import AppStoreTrust
import Foundation
import StoreSimulator

/// Verifies notifications of a simulator and extracts the fields to print.
struct NotificationReader: Sendable {
    private let client: ControlClient
    private let verifiers: [EnvironmentName: SignedDataVerifier]

    init(_ client: ControlClient) throws {
        self.client = client
        let information = client.information
        var verifiers: [EnvironmentName: SignedDataVerifier] = [:]
        for environment in EnvironmentName.allCases {
            do {
                let configuration = try information.verifierConfiguration(accepting: [environment.environment])
                verifiers[environment] = try SignedDataVerifier(configuration)
            } catch {
                throw Refusal(
                    code: "\(error.code)",
                    message: "the simulator's root certificates cannot be read: \(error.message)")
            }
        }
        self.verifiers = verifiers
    }

    private struct Envelope: Decodable { let signedPayload: String }

    private struct Version1: Decodable {
        struct Unified: Decodable { let latest_receipt: String }
        let notification_type: String
        let password, original_transaction_id, auto_renew_product_id: String?
        let unified_receipt: Unified
    }

    private struct Listed: Decodable { let customer: String? }

    /// Verifies a body that was posted to the notification URL and returns the line to print.
    func read(_ body: Data, in environment: EnvironmentName) async -> NotificationLine {
        var line = NotificationLine(environment: environment.environment.rawValue)
        // A body that does not decode as version 1 is read as version 2.
        if let notification = try? JSONDecoder().decode(Version1.self, from: body) {
            read(notification, &line)
            return line
        }
        // Every environment has a verifier, so only the body can be wrong.
        guard let envelope = try? JSONDecoder().decode(Envelope.self, from: body), let verifier = verifiers[environment]
        else {
            line.refuse("bad_json", "the body is not a JSON object with signedPayload")
            return line
        }
        do {
            let notification = try await verifier.notification(envelope.signedPayload).payload
            line.add(notification)
            line.customer = await customer(of: notification.notificationUUID, in: environment)
            if let text = notification.data?.signedTransactionInfo {
                line.add(try await verifier.transaction(text).payload)
            }
            if let text = notification.data?.signedRenewalInfo { _ = try await verifier.renewalInfo(text) }
            if let text = notification.appData?.signedAppTransactionInfo { _ = try await verifier.appTransaction(text) }
        } catch {
            line.refuse("\(error.code)", error.message)
        }
        return line
    }

    /// Reads a notification of version 1. Only the app's shared secret and the receipt can be verified.
    private func read(_ notification: Version1, _ line: inout NotificationLine) {
        line.version = 1
        line.notificationType = notification.notification_type
        line.originalTransactionId = notification.original_transaction_id
        line.productId = notification.auto_renew_product_id
        guard notification.password == client.information.sharedSecret else {
            return line.refuse("wrong_secret", "password is not the shared secret of the app")
        }
        do {
            let roots = try TrustAnchors(contentsOf: client.information.rootCertificates.map { URL(filePath: $0) })
            var validator = ReceiptValidator(anchors: roots)
            validator.bundleIDs = [client.information.bundleID]
            _ = try validator.authenticate(base64: notification.unified_receipt.latest_receipt)
        } catch {
            line.refuse("\(error.code)", error.message)
        }
    }

    /// Returns the customer of a notification, which payloads do not name. Requests it from the simulator each time:
    /// after a reset, the UUID of an earlier notification may be that of another customer's.
    private func customer(of uuid: String, in environment: EnvironmentName) async -> String? {
        // Print the line without the customer if the request fails.
        let found = try? await client.call(
            "GET", [environment.rawValue, "notifications"], query: [("notificationUUID", uuid)],
            as: ListPage<Listed>.self)
        return found?.items.first?.customer
    }
}

/// The line that is printed for a notification.
struct NotificationLine: Encodable {
    let environment: String
    var valid = true
    var code, message: String?
    /// 1 for a notification of version 1.
    var version: Int?
    var notificationType, subtype, notificationUUID: String?
    var signedDate: Date?
    var status: Int32?
    var customer, productId, transactionId, originalTransactionId, appAccountToken: String?
    var forwardedStatus: Int?
    var forwardingFailure: String?

    mutating func refuse(_ code: String, _ message: String) {
        valid = false
        self.code = code
        self.message = message
    }

    mutating func add(_ notification: ResponseBodyV2DecodedPayload) {
        notificationType = notification.notificationType.rawValue
        subtype = notification.subtype?.rawValue
        notificationUUID = notification.notificationUUID
        signedDate = notification.signedDate
        status = notification.data?.status?.rawValue
        productId = notification.summary?.productId
    }

    mutating func add(_ transaction: JWSTransactionDecodedPayload) {
        productId = transaction.productId
        transactionId = transaction.transactionId
        originalTransactionId = transaction.originalTransactionId
        appAccountToken = transaction.appAccountToken?.text
    }

    func text(_ style: Style) -> String {
        var words = [signedDate?.readable ?? Date().readable]
        if let notificationType {
            let name = notificationType + (subtype.map { "." + $0 } ?? "")
            words.append(style.strong((version == 1 ? "V1." + name : name).printable))
        }
        words.append([customer, productId].compactMap { $0 }.joined(separator: "/").printable)
        words.append(environment.lowercased())
        if let status {
            words.append(SubscriptionStatus(rawValue: status).name?.replacing("_", with: " ") ?? "status \(status)")
        }
        if let appAccountToken { words.append("account \(appAccountToken)") }
        words.append(
            valid
                ? style.good("verified ✓")
                : style.bad("refused ✗") + " \(code ?? ""): \((message ?? "").printable)")
        if let forwardedStatus { words.append("→ \(forwardedStatus)") }
        if let forwardingFailure { words.append(style.bad("not forwarded: \(forwardingFailure.printable)")) }
        return words.filter { !$0.isEmpty }.joined(separator: "  ")
    }
}
