import AppStoreModels
import AppStoreReceipts
import AppStoreServer
import AppStoreTrust
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `Delivery of version 1 notifications` {
    private static let product = "com.example.premium.monthly"

    /// Runs a simulator that sends version 1 notifications in both environments.
    private static func run(_ body: (Simulator, Receiver) async throws -> Void) async throws {
        try await Simulator.runWithReceiver {
            $0.createsReceiptAuthorityAtStart = true
            $0.production.notificationVersion = .one
            $0.sandbox.notificationVersion = .one
        } _: {
            try await body($0, $1)
        }
    }

    private static func object(_ body: Data?) throws -> [String: Any] {
        let body = try #require(body)
        return try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
    }

    private static func validator(_ simulator: Simulator) throws -> ReceiptValidator {
        let now = simulator.now
        return ReceiptValidator(
            anchors: try TrustAnchors(contentsOf: simulator.information.rootCertificates.map { URL(filePath: $0) }),
            now: { now })
    }

    @Test(arguments: [AppStoreEnvironment.production, .sandbox])
    func `A version 1 notification has Apple's members, the shared secret and a valid receipt`(
        _ environment: AppStoreEnvironment
    ) async throws {
        try await Self.run { simulator, receiver in
            let isSandbox = environment == .sandbox
            let id = try await simulator.buy(Self.product, in: environment)
            try await simulator.perform(.cancel(customer: "anna"), in: environment)
            let first = try Self.object(receiver.bodies.first)
            #expect(first["notification_type"] as? String == "INITIAL_BUY")
            let body = try Self.object(receiver.bodies.last)
            #expect(body["notification_type"] as? String == "DID_CHANGE_RENEWAL_STATUS")
            #expect(body["environment"] as? String == (isSandbox ? "Sandbox" : "PROD"))
            let secret = try #require(simulator.information.sharedSecret)
            #expect(body["password"] as? String == secret)
            #expect(body["bid"] as? String == simulator.information.bundleID)
            #expect(body["auto_renew_product_id"] as? String == Self.product)
            // `true` or `false` at the top level, a number in `pending_renewal_info`.
            #expect(body["auto_renew_status"] as? String == "false")
            #expect(body["auto_renew_status_change_date_ms"] as? String == "1780000000000")
            #expect((body["auto_renew_status_change_date_pst"] as? String)?.hasSuffix("America/Los_Angeles") == true)
            #expect(body["original_transaction_id"] as? String == id)
            #expect(Int64(body["auto_renew_adam_id"] as? String ?? "") != nil && body["deprecation"] is String)
            let unified = try #require(body["unified_receipt"] as? [String: Any])
            #expect(unified["status"] as? Int == 0)
            #expect(unified["environment"] as? String == (isSandbox ? "Sandbox" : "Production"))
            let renewals = try #require(unified["pending_renewal_info"] as? [[String: String]])
            #expect(renewals.first?["auto_renew_status"] == "0")
            let receipt = try #require(unified["latest_receipt"] as? String)
            let proven = try #require(try Self.validator(simulator).validate(base64: receipt).appReceipt).payload
            #expect(proven.purchases.map(\.transactionID) == [id])
            #expect(proven.environment?.rawValue == environment.rawValue)
            // The rows equal those of verifyReceipt.
            let request = try JSONSerialization.data(
                withJSONObject: ["receipt-data": receipt, "password": "counterfoil"])
            let answer = try Self.object(Data(simulator.core.verifyReceipt(request, in: environment).body))
            for name in ["latest_receipt_info", "pending_renewal_info"] {
                let rows = try #require(unified[name] as? NSArray, "\(name)")
                #expect(answer[name] as? NSArray == rows, "\(name)")
            }
        }
    }

    @Test func `Production retries version 1 after 6, 24 and 48 hours, and the sandbox sends it once`() async throws {
        try await Self.run { simulator, receiver in
            receiver.answerAll(.status(500))
            for environment in [AppStoreEnvironment.production, .sandbox] {
                try await simulator.buy(Self.product, in: environment)
            }
            try await simulator.advance(by: 200 * 3600)
            func hours(_ environment: AppStoreEnvironment) -> [Double] {
                simulator.core.read(environment) { store, _ in
                    store.notifications[0].attempts.map { $0.date.timeIntervalSince(Simulator.start) / 3600 }
                }
            }
            #expect(hours(.production) == [0, 6, 30, 78])
            #expect(hours(.sandbox) == [0])
        }
    }

    @Test func `The setting notificationVersion switches to version 2, and the history starts there`() async throws {
        try await Self.run { simulator, receiver in
            try await simulator.buy(Self.product)
            let transport = AsyncHTTPClientTransport()
            let answer = try await transport.send(
                HTTPTransportRequest(
                    method: "PATCH", url: simulator.information.controlURL + "/production/settings",
                    headers: [("Content-Type", "application/json")], body: Data(#"{"notificationVersion":2}"#.utf8),
                    timeout: .seconds(600)))
            #expect(answer.status == 200)
            let wrong = try await transport.send(
                HTTPTransportRequest(
                    method: "PATCH", url: simulator.information.controlURL + "/production/settings",
                    headers: [("Content-Type", "application/json")], body: Data(#"{"notificationVersion":3}"#.utf8),
                    timeout: .seconds(600)))
            #expect(wrong.status == 400)
            try await simulator.advance(by: Period.month)
            #expect(try Self.object(receiver.bodies.first)["signedPayload"] == nil)
            #expect(try Self.object(receiver.bodies.last)["signedPayload"] != nil)
            var types: [NotificationTypeV2] = []
            let request = NotificationHistoryRequest(startDate: Simulator.start - 60, endDate: simulator.now + 60)
            let verifier = try simulator.verifier()
            for try await item in try simulator.client().notificationHistory(request).items {
                types.append(try await verifier.notification(item.signedPayload).payload.notificationType)
            }
            #expect(types == [.didRenew])
            // The control API returns the body of each notification, as it was or would be posted.
            let uuids = simulator.core.read(.production) { store, _ in store.notifications.map(\.uuid) }
            for (index, uuid) in uuids.enumerated() {
                let body = try await transport.send(
                    HTTPTransportRequest(
                        method: "GET",
                        url: simulator.information.controlURL + "/production/notifications/" + uuid,
                        timeout: .seconds(600))
                ).body
                #expect((try Self.object(body)["notification_type"] as? String == "INITIAL_BUY") == (index == 0))
            }
        }
    }

    @Test func `Notification faults apply to version 1 notifications`() async throws {
        try await Self.run { simulator, receiver in
            try simulator.add(Fault("notification:V1.INITIAL_BUY", .extraFields, count: 1))
            try await simulator.buy(Self.product)
            #expect(try Self.object(receiver.bodies.last)["fieldOfTheFuture"] != nil)
            try simulator.add(Fault("notification:*", .unknownValues, count: 1))
            try await simulator.perform(.cancel(customer: "anna"))
            #expect(try Self.object(receiver.bodies.last)["notification_type"] as? String == "VALUE_OF_THE_FUTURE")
            try simulator.add(Fault("notification:V1.DID_CHANGE_RENEWAL_STATUS", .invalidSignature, count: 1))
            try await simulator.perform(.resume(customer: "anna"))
            let unified = try #require(try Self.object(receiver.bodies.last)["unified_receipt"] as? [String: Any])
            let receipt = try #require(unified["latest_receipt"] as? String)
            let validator = try Self.validator(simulator)
            let forged = #expect(throws: VerificationError.self) { try validator.validate(base64: receipt) }
            #expect(forged?.code == .badSignature)
            try simulator.add(Fault("notification:*", .truncate, count: 1))
            try await simulator.perform(.cancel(customer: "anna"))
            #expect(throws: (any Error).self) { try Self.object(receiver.bodies.last) }
            let before = receiver.bodies.count
            // A version 2 type does not match the version 1 notification of the same name.
            try simulator.add(Fault("notification:DID_CHANGE_RENEWAL_STATUS", .drop))
            try await simulator.perform(.resume(customer: "anna"))
            #expect(receiver.bodies.count == before + 1)
            let refused = #expect(throws: SimulatorError.self) {
                try simulator.add(Fault("notification:V1.EXPIRED", .drop))
            }
            #expect(refused?.code == .invalidFault)
        }
    }
}
