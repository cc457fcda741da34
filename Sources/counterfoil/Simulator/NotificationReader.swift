import AppStoreModels
import AppStoreReceipts
import AppStoreServer
import AppStoreTrust
import Foundation
import StoreSimulator

/// Verifies notifications of a simulator and says what is in them.
actor NotificationReader {
    private let client: ControlClient
    private let verifiers: [EnvironmentName: SignedDataVerifier]
    /// The customers of notifications seen so far: payloads do not name them.
    private var customers: [String: String] = [:]
    private var next: [EnvironmentName: Int] = [:]

    init(_ client: ControlClient) throws {
        self.client = client
        let information = client.information
        var verifiers: [EnvironmentName: SignedDataVerifier] = [:]
        for environment in EnvironmentName.allCases {
            let app = App(
                bundleID: information.bundleID, appAppleID: information.appAppleID,
                environments: [environment.environment])
            var configuration = SignedDataVerifier.Configuration(apps: .only([app]))
            do {
                configuration.anchors = try TrustAnchors(
                    contentsOf: information.rootCertificates.map { URL(filePath: $0) })
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
        let password: String?
        let original_transaction_id: String?
        let auto_renew_product_id: String?
        let unified_receipt: Unified
    }

    private struct Listed: Decodable {
        let notificationUUID: String
        let customer: String?
    }

    /// What a body that was posted to the notification URL says.
    func read(_ body: Data, in environment: EnvironmentName) async -> NotificationLine {
        var line = NotificationLine(environment: environment.environment.rawValue)
        // Not to be one of version 1 is the answer, whatever it is instead.
        if let notification = try? JSONDecoder().decode(Version1.self, from: body) {
            read(notification, &line)
            return line
        }
        // Each environment has a verifier. Whatever else was sent, the line says what it should have been.
        guard let envelope = try? JSONDecoder().decode(Envelope.self, from: body), let verifier = verifiers[environment]
        else {
            line.refuse("bad_json", "the body is no object with signedPayload")
            return line
        }
        do {
            let notification = try await verifier.notification(envelope.signedPayload).payload
            line.note(notification)
            line.customer = await customer(of: notification.notificationUUID, in: environment)
            if let text = notification.data?.signedTransactionInfo {
                line.note(try await verifier.transaction(text).payload)
            }
            if let text = notification.data?.signedRenewalInfo { _ = try await verifier.renewalInfo(text) }
            if let text = notification.appData?.signedAppTransactionInfo { _ = try await verifier.appTransaction(text) }
        } catch {
            line.refuse("\(error.code)", error.message)
        }
        return line
    }

    /// Version 1 has nothing to verify but the receipt, and the app's shared secret.
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

    /// Whom the simulator says that a notification is about.
    private func customer(of uuid: String, in environment: EnvironmentName) async -> String? {
        if let known = customers[uuid] { return known }
        let start = next[environment, default: 0]
        // Without a name a line is still worth printing.
        guard
            let listed = try? await client.all(
                [environment.rawValue, "notifications"], from: String(start), as: Listed.self)
        else { return nil }
        // After a reset the list is shorter than what was read of it: begin anew.
        next[environment] = listed.isEmpty ? 0 : start + listed.count
        // Retries come days later by the simulator's clock: names are kept, but not without end.
        if customers.count > 100_000 { customers = [:] }
        for item in listed { customers[item.notificationUUID] = item.customer }
        return customers[uuid]
    }
}

/// What is printed about a notification.
struct NotificationLine: Encodable {
    let environment: String
    var valid = true
    var code: String?
    var message: String?
    /// 1 for a notification of version 1.
    var version: Int?
    var notificationType: String?
    var subtype: String?
    var notificationUUID: String?
    var signedDate: Date?
    var status: Int32?
    var customer: String?
    var productId: String?
    var transactionId: String?
    var originalTransactionId: String?
    var appAccountToken: String?
    var forwardedStatus: Int?
    var forwardingFailure: String?

    init(environment: String) { self.environment = environment }

    mutating func refuse(_ code: String, _ message: String) {
        valid = false
        self.code = code
        self.message = message
    }

    mutating func note(_ notification: ResponseBodyV2DecodedPayload) {
        notificationType = notification.notificationType.rawValue
        subtype = notification.subtype?.rawValue
        notificationUUID = notification.notificationUUID
        signedDate = notification.signedDate
        status = notification.data?.status?.rawValue
        productId = notification.summary?.productId
    }

    mutating func note(_ transaction: JWSTransactionDecodedPayload) {
        productId = transaction.productId
        transactionId = transaction.transactionId
        originalTransactionId = transaction.originalTransactionId
        appAccountToken = transaction.appAccountToken?.text
    }

    /// One object.
    func json() throws -> String { try JSONLine.text(self) }

    func text(_ style: Style) -> String {
        var words = [signedDate?.readable ?? Date().readable]
        if let notificationType {
            let name = notificationType + (subtype.map { "." + $0 } ?? "")
            words.append(style.strong(version == 1 ? "V1." + name : name))
        }
        words.append([customer, productId].compactMap { $0 }.joined(separator: "/").printable)
        words.append(environment.lowercased())
        if let status { words.append(Self.names[status] ?? "status \(status)") }
        if let appAccountToken { words.append("account \(appAccountToken)") }
        words.append(
            valid
                ? style.good("verified ✓")
                : style.bad("refused ✗") + " \(code ?? ""): \((message ?? "").printable)")
        if let forwardedStatus { words.append("→ \(forwardedStatus)") }
        if let forwardingFailure { words.append(style.bad("not forwarded: \(forwardingFailure.printable)")) }
        return words.filter { !$0.isEmpty }.joined(separator: "  ")
    }

    private static let names: [Int32: String] = [
        1: "active", 2: "expired", 3: "billing retry", 4: "grace period", 5: "revoked",
    ]
}
