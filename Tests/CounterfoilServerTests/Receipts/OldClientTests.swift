import AppStoreModels
import CounterfoilServer
import Foundation
import MemoryLedger
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `verifyReceipt clients and notifications of version 1` {
    static let secret = "the shared secret of the app"

    @Test func `A receipt is accepted by verifyReceipt and in version 1 notifications, of which the log warns once`()
        async throws
    {
        let log = LogCapture()
        try await World.run(
            simulator: { $0.createsReceiptAuthorityAtStart = true },
            server: { configuration in
                configuration.keys = [World.backend]
                configuration.apps[0].sharedSecrets = [Secret(Self.secret)]
            }, logger: log.logger(ServerConfiguration.Log())
        ) { world in
            try world.simulator.add(Fault("notification:*", .drop))
            let bought = try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly"))
            let receipt = try world.simulator.receipt(of: "anna")
            try await world.simulator.advance(by: Period.month)
            try await verify(world, receipt)
            try await refusals(world, receipt)
            try await notify(world, receipt, try #require(bought.originalTransactionID))
            #expect(log.text.components(separatedBy: "This app gets notifications of version 1").count == 2)
        }
    }

    @Test func `Without a shared secret, verifyReceipt answers 21004 and version 1 notifications 403`() async throws {
        try await World.run(simulator: { $0.createsReceiptAuthorityAtStart = true }) { world in
            try await world.simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            let receipt = try world.simulator.receipt(of: "anna")
            for body in [["receipt-data": receipt, "password": "any"], ["receipt-data": "bm90aGluZw=="], [:]] {
                #expect(try await world.call(.POST, "/verifyReceipt", body, key: nil).number("status") == 21004)
            }
            for text in [receipt, "bm90aGluZw=="] {
                let notification: [String: Any] = [
                    "notification_type": "DID_RENEW", "unified_receipt": ["latest_receipt": text],
                ]
                let answer = try await world.call(.POST, "/apple/notifications", notification, key: nil)
                #expect(answer.status == 403 && answer.text("code") == "version_1_off")
            }
            let core = try world.server.core
            #expect(
                try await core.storage.dueHistoryRequests(in: world.appEnvironment().id, at: .max, limit: 10).isEmpty)
        }
    }

    @Test func `The shared secret of another app is refused`() async throws {
        try await World.run(
            simulator: { $0.createsReceiptAuthorityAtStart = true },
            server: { configuration in
                configuration.apps[0].sharedSecrets = [Secret(Self.secret)]
                configuration.apps.append(.init(bundleID: "com.example.other", environments: [.sandbox]))
                configuration.apps[1].sharedSecrets = [Secret("the secret of the other app")]
            }
        ) { world in
            try await world.simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            let receipt = try world.simulator.receipt(of: "anna")
            for (secret, receiptStatus, status) in [
                (Self.secret, 0, 200), ("the secret of the other app", 21004, 401),
            ] {
                let body = ["receipt-data": receipt, "password": secret]
                #expect(
                    try await world.call(.POST, "/verifyReceipt", body, key: nil).number("status") == receiptStatus)
                let notification: [String: Any] = [
                    "notification_type": "DID_RENEW", "password": secret,
                    "unified_receipt": ["latest_receipt": receipt],
                ]
                let answer = try await world.call(.POST, "/apple/notifications", notification, key: nil)
                #expect(answer.status == status)
            }
        }
    }

    @Test func `A wrong secret is refused before the receipt is checked, and too many requests get 429`() async throws {
        try await World.run(server: { $0.apps[0].sharedSecrets = [Secret(Self.secret)] }) { world in
            // The response does not reveal that this is no receipt.
            let body: [String: Any] = ["receipt-data": "bm90aGluZw==", "password": "guessed"]
            #expect(try await world.call(.POST, "/verifyReceipt", body, key: nil).number("status") == 21004)
            let notification: [String: Any] = [
                "notification_type": "DID_RENEW", "password": "guessed",
                "unified_receipt": ["latest_receipt": "bm90aGluZw=="],
            ]
            let data = try JSONSerialization.data(withJSONObject: notification)
            var statuses: Set<Int> = []
            // Repeated, because a busy machine may be too slow for the limit.
            for _ in 0..<20 where !statuses.contains(429) {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<400 {
                        group.addTask {
                            try await world.call(.POST, "/apple/notifications", data: data, key: nil).status
                        }
                    }
                    for try await status in group { statuses.insert(status) }
                }
            }
            #expect(statuses == [401, 429])
        }
    }

    @Test func `An invented transaction of a version 1 notification is forgotten, and many are refused`() async throws {
        try await World.run(
            simulator: { $0.createsReceiptAuthorityAtStart = true },
            server: { $0.apps[0].sharedSecrets = [Secret(Self.secret)] }
        ) { world in
            try world.simulator.add(Fault("notification:*", .drop))
            try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.coins.100", appAccountToken: .absent))
            // A receipt does not list finished consumables.
            try await world.simulator.perform(.finish(customer: "anna"))
            let receipt = try world.simulator.receipt(of: "anna")
            let (core, scope) = (try world.server.core, try world.appEnvironment().id)
            // The server takes the requests in its own ledger at any time.
            let queue = MemoryLedger()
            let receiver = NotificationV1Receiver(
                storage: queue, apps: core.apps, scopes: core.scopes, purchaseVerifier: core.purchaseVerifier,
                clock: core.clock, logger: core.logger, unsignedPerHour: 2)
            for number in 1...3 {
                let body: [String: Any] = [
                    "notification_type": "REFUND", "password": Self.secret, "original_transaction_id": "99\(number)",
                    "unified_receipt": ["latest_receipt": receipt],
                ]
                let data = try JSONSerialization.data(withJSONObject: body)
                let notification = try #require(NotificationV1.read(Array(data)))
                if number < 3 {
                    try await receiver.receive(notification, from: "192.0.2.\(number)")
                } else {
                    let error = await #expect(throws: ServiceFailure.self) {
                        try await receiver.receive(notification, from: "192.0.2.\(number)")
                    }
                    #expect(error?.code == "rate_limited")
                }
            }
            let waiting = try await queue.dueHistoryRequests(in: scope, at: core.now.milliseconds, limit: 10)
            #expect(Set(waiting.map(\.transactionID)) == ["991", "992"])
            for request in waiting {
                try await core.storage.add(
                    requests: [request.transactionID], in: scope, because: request.reason, at: request.addedAt)
            }
            try await core.recovery.runHistoryRequests()
            let missing = try await world.completeness().missing
            #expect(missing.historyRequests == 0 && missing.failedHistoryRequests == 0)
        }
    }

    @Test func `Without an API key, only a transaction that a receipt names is requested for longer than a day`()
        async throws
    {
        try await World.run(server: { $0.apps[0].key = nil }) { world in
            let (core, scope) = (try world.server.core, try world.appEnvironment().id)
            try await core.storage.add(requests: ["1"], in: scope, because: .notificationV1, at: 0)
            try await core.storage.add(requests: ["2"], in: scope, because: .unsignedNotificationV1, at: 0)
            try await core.recovery.runHistoryRequests()
            #expect(try await core.storage.missingCounts(in: scope).historyRequests == 2)
            // The server takes the requests at any time too.
            try await waitUntil("only the request of the receipt is left") {
                try await world.simulator.advance(by: 86_400)
                try await core.recovery.runHistoryRequests()
                return try await core.storage.missingItems(in: scope).historyRequests.map(\.transactionID) == ["1"]
            }
        }
    }

    /// Expects the answer to include transactions after the receipt, and to match the simulator's answer.
    private func verify(_ world: World, _ receipt: String) async throws {
        let body: [String: Any] = ["receipt-data": receipt, "password": Self.secret]
        let answer = try await world.call(.POST, "/verifyReceipt", body, key: nil)
        #expect(answer.number("status") == 0)
        #expect(answer.text("environment") == "Production")
        #expect(answer.count("receipt.in_app") == 1)
        #expect(answer.count("latest_receipt_info") ?? 0 >= 2)
        #expect(answer.text("pending_renewal_info.0.auto_renew_status") == "1")
        let data = try JSONSerialization.data(
            withJSONObject: ["receipt-data": receipt, "password": "counterfoil"])
        let simulated = world.simulator.core.verifyReceipt(data, in: .production)
        let expected = APIResponse(status: Int(simulated.status), body: Data(simulated.body))
        #expect(answer.count("latest_receipt_info") == expected.count("latest_receipt_info"))
        for name in ["transaction_id", "expires_date", "expires_date_pst", "is_trial_period", "purchase_date_ms"] {
            let path = "latest_receipt_info.0.\(name)"
            let value = try #require(expected.text(path), "\(path)")
            #expect(answer.text(path) == value, "\(path)")
        }
        let renewals = try #require(expected["pending_renewal_info"] as? NSArray)
        #expect(answer["pending_renewal_info"] as? NSArray == renewals)
        let latest = try await world.call(
            .POST, "/verifyReceipt", body.merging(["exclude-old-transactions": true]) { $1 }, key: nil)
        #expect(latest.count("latest_receipt_info") == 1)
    }

    private func refusals(_ world: World, _ receipt: String) async throws {
        let cases: [([String: Any], String, Int)] = [
            (["receipt-data": receipt], "", 21004),
            (["receipt-data": receipt, "password": "wrong"], "", 21004),
            (["receipt-data": receipt, "password": Self.secret], "?environment=Sandbox", 21008),
            (["receipt-data": "bm90aGluZw==", "password": Self.secret], "", 21002), ([:], "", 21002),
        ]
        for (body, query, status) in cases {
            let answer = try await world.call(.POST, "/verifyReceipt" + query, body, key: nil)
            #expect(answer.status == 200)
            #expect(answer.number("status") == status)
        }
        #expect(try await world.call(.GET, "/verifyReceipt", nil, key: nil).number("status") == 21000)
        try await world.simulator.perform(
            .purchase(customer: "sandy", product: "com.example.unlock"), in: .sandbox)
        let sandbox: [String: Any] = [
            "receipt-data": try world.simulator.receipt(of: "sandy", in: .sandbox), "password": Self.secret,
        ]
        #expect(try await world.call(.POST, "/verifyReceipt", sandbox, key: nil).number("status") == 21007)
        for name in ["Sandbox", "sandbox"] {
            let accepted = try await world.call(.POST, "/verifyReceipt?environment=\(name)", sandbox, key: nil)
            #expect(accepted.number("status") == 0)
        }
        // A receipt without a type belongs to no environment.
        let untyped = ReceiptContents(
            type: nil, bundleID: world.simulator.information.bundleID, version: "1", creationDate: world.simulator.now,
            deviceID: Data([1, 2, 3, 4, 5, 6]), opaqueValue: Array(repeating: 7, count: 16))
        let signed = try world.simulator.core.authority.receiptAuthority().sign(untyped).base64EncodedString()
        for (query, status) in [("", 21007), ("?environment=Sandbox", 21002)] {
            let body: [String: Any] = ["receipt-data": signed, "password": Self.secret]
            let answer = try await world.call(.POST, "/verifyReceipt" + query, body, key: nil)
            #expect(answer.number("status") == status)
        }
    }

    private func notify(_ world: World, _ receipt: String, _ original: String) async throws {
        let body: [String: Any] = [
            "notification_type": "DID_RENEW", "environment": "PROD", "password": Self.secret,
            "auto_renew_status": "true", "unified_receipt": ["latest_receipt": receipt, "status": 0],
        ]
        #expect(try await world.call(.POST, "/apple/notifications", body, key: nil).status == 200)
        #expect(try await world.call(.POST, "/apple/notifications", body, key: nil).status == 200)
        let core = try world.server.core
        let requests = try await core.storage.dueHistoryRequests(
            in: world.appEnvironment().id, at: core.now.milliseconds, limit: 10)
        #expect(requests.map(\.transactionID) == [original])
        #expect(requests.first?.reason == .notificationV1)
        let wrong = body.merging(["password": "wrong"]) { $1 }
        #expect(try await world.call(.POST, "/apple/notifications", wrong, key: nil).status == 401)
        let forged = body.merging(["unified_receipt": ["latest_receipt": "bm90aGluZw=="]]) { $1 }
        #expect(
            try await world.call(.POST, "/apple/notifications", forged, key: nil).text("code") == "malformed_receipt")
        let refused = try await world.refusals(2).map { String(decoding: $0.body, as: UTF8.self) }
        #expect(refused.allSatisfy { $0.contains(#""password":"***""#) })
        #expect(!refused.contains { $0.contains(Self.secret) || $0.contains("wrong") })
        let empty = ["notification_type": "CANCEL"]
        #expect(try await world.call(.POST, "/apple/notifications", empty, key: nil).text("code") == "no_receipt")
    }
}
