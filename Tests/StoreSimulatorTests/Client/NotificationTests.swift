import AppStoreModels
import AppStoreServer
import AppStoreTrust
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `Delivery of notifications` {
    private static let product = "com.example.premium.monthly"
    private static let coins = "com.example.coins.100"

    /// Returns the send attempts of all notifications so far, as the notification history lists them.
    private func attempts(
        _ simulator: Simulator, _ environment: AppStoreEnvironment = .production
    ) async throws -> [[SendAttemptItem]] {
        var attempts: [[SendAttemptItem]] = []
        let request = NotificationHistoryRequest(startDate: Simulator.start - 60, endDate: simulator.now + 60)
        for try await item in try simulator.client(environment).notificationHistory(request).items {
            attempts.append(item.sendAttempts)
        }
        return attempts
    }

    @Test(arguments: [AppStoreEnvironment.production, .sandbox])
    func `A notification is delivered when the command returns, and verifies with its nested payloads`(
        _ environment: AppStoreEnvironment
    ) async throws {
        try await Simulator.runWithReceiver { simulator, receiver in
            let id = try await simulator.buy(Self.product, in: environment)
            try await simulator.perform(.cancel(customer: "anna"), in: environment)
            let verifier = try simulator.verifier()
            var types: [NotificationTypeV2] = []
            for text in try receiver.payloads {
                let notification = try await verifier.notification(text).payload
                types.append(notification.notificationType)
                let data = try #require(notification.data)
                #expect(data.environment == environment)
                let transaction = try await verifier.transaction(#require(data.signedTransactionInfo)).payload
                #expect(transaction.transactionId == id)
                let renewal = try await verifier.renewalInfo(#require(data.signedRenewalInfo)).payload
                #expect(renewal.originalTransactionId == id)
            }
            #expect(types == [.subscribed, .didChangeRenewalStatus])
            #expect(
                try await attempts(simulator, environment).map { $0.map(\.sendAttemptResult) } == [
                    [.success], [.success],
                ])
        }
    }

    @Test func `Overrides replace fields of every part of a notification, and null removes a field`() async throws {
        try await Simulator.run { simulator in
            func payload(_ request: TriggerRequest) async throws -> [String: JSONValue] {
                try await simulator.trigger(request)
                let last = simulator.core.read(.production) { store, _ in store.notifications.count - 1 }
                return try Payload(simulator.core.text(last, in: .production)).body
            }
            let cases: [(NotificationTypeV2, NotificationSubtype?, part: String)] = [
                (.didRenew, nil, "data"), (.rescindConsent, nil, "appData"), (.renewalExtension, .summary, "summary"),
                (.externalPurchaseToken, .created, "externalPurchaseToken"),
            ]
            for (type, subtype, part) in cases {
                let body = try await payload(.init(type, subtype, overrides: [part + ".bundleId": .string("other")]))
                #expect(body[part]?["bundleId"]?.text == "other")
            }

            let consent = try await payload(
                .init(.rescindConsent, overrides: ["appTransaction.bundleId": .string("other")]))
            let signed = try #require(consent["appData"]?["signedAppTransactionInfo"]?.text)
            #expect(try Payload(signed).body["bundleId"]?.text == "other")

            let renewal = try await payload(.init(.didRenew, overrides: ["data.status": .null]))
            #expect(renewal["data"]?["status"] == nil)
        }
    }

    @Test func `A notification names the app version on sale when it was created, also in a retry`() async throws {
        try await Simulator.runWithReceiver { simulator, receiver in
            receiver.answerAll(.status(500))
            try await simulator.buy(Self.product)
            try await simulator.perform(.releaseVersion(version: "2.0"))
            try await simulator.perform(.cancel(customer: "anna"))
            let verifier = try simulator.verifier()
            var versions: [String?] = []
            for text in try receiver.payloads {
                versions.append(try await verifier.notification(text).payload.data?.bundleVersion)
            }
            #expect(versions == ["1", "2.0"])
            try await simulator.advance(by: 3600)
            #expect(receiver.bodies.count == 4)
            #expect(Set(receiver.bodies).count == 2)
        }
    }

    @Test func `Production retries after 1, 12, 24, 48 and 72 hours with the same bytes`()
        async throws
    {
        try await Simulator.runWithReceiver { simulator, receiver in
            receiver.answerAll(.status(500))
            try await simulator.buy(Self.coins)
            let report = try await simulator.advance(by: 200 * 3600)
            #expect(report.failedAttempts == 5)
            let sent = try #require(try await attempts(simulator).first)
            #expect(sent.map { $0.attemptDate.timeIntervalSince(Simulator.start) / 3600 } == [0, 1, 13, 37, 85, 157])
            #expect(sent.allSatisfy { $0.sendAttemptResult == .unsuccessfulHTTPResponseCode })
            #expect(receiver.bodies.count == 6)
            #expect(Set(receiver.bodies).count == 1)
            let uuids = try receiver.payloads.map { try Payload($0).body["notificationUUID"] }
            #expect(Set(uuids).count == 1)
        }
    }

    @Test func `A manual resend replaces no retry, and a successful one ends the retries`()
        async throws
    {
        try await Simulator.runWithReceiver { simulator, receiver in
            func resend(_ number: Int) async throws {
                try simulator.core.resend(number, in: .production)
                try await simulator.processDueEvents()
            }
            receiver.answerAll(.status(500))
            try await simulator.buy(Self.coins)
            try await simulator.advance(by: 1800)
            try await resend(0)
            #expect(receiver.bodies.count == 2)
            try await simulator.advance(by: 200 * 3600)
            let sent = try #require(try await attempts(simulator).first)
            #expect(sent.map { $0.attemptDate.timeIntervalSince(Simulator.start) / 3600 } == [0, 1, 13, 37, 85, 157])
            #expect(receiver.bodies.count == 7)
            // A resend after the last attempt starts no further retries.
            try await resend(0)
            try await simulator.buy(Self.coins)
            receiver.answerAll(.status(200))
            try await resend(1)
            #expect(
                try await attempts(simulator).last?.map(\.sendAttemptResult) == [
                    .unsuccessfulHTTPResponseCode, .success,
                ])
            try await simulator.advance(by: 200 * 3600)
            #expect(receiver.bodies.count == 10)
        }
    }

    @Test func `The sandbox sends a notification once, even if that fails`() async throws {
        try await Simulator.runWithReceiver { simulator, receiver in
            receiver.answerAll(.status(500))
            try await simulator.buy(Self.coins, in: .sandbox)
            try await simulator.advance(by: 200 * 3600)
            #expect(receiver.bodies.count == 1)
            #expect(try await attempts(simulator, .sandbox).map(\.count) == [1])
        }
    }

    @Test func `A receiver that recovers gets each missed notification exactly once more`() async throws {
        try await Simulator.runWithReceiver { simulator, receiver in
            receiver.answerAll(.status(503))
            try await simulator.buy(Self.coins)
            try await simulator.advance(by: 3 * 3600)
            try await simulator.buy(Self.product)
            receiver.answerAll(.status(200))
            try await simulator.advance(by: 200 * 3600)
            let results = try await attempts(simulator).map { $0.map(\.sendAttemptResult) }
            #expect(
                results == [
                    [.unsuccessfulHTTPResponseCode, .unsuccessfulHTTPResponseCode, .success],
                    [.unsuccessfulHTTPResponseCode, .success],
                ])
            let uuids = try receiver.payloads.map { try Payload($0).body["notificationUUID"]?.text }
            // The retry of the later notification is due first.
            #expect(uuids == [uuids[0], uuids[0], uuids[2], uuids[2], uuids[0]])
        }
    }

    @Test func `Statuses 200 to 206 are a success, any other status is a failed attempt`() async throws {
        let cases = (200...206).map { ($0, true) } + [207, 301, 304, 400, 401, 404, 429, 500, 503].map { ($0, false) }
        try await Simulator.runWithReceiver { simulator, receiver in
            for (status, isSuccess) in cases {
                receiver.answer(.status(status))
                try await simulator.buy(Self.coins, in: .sandbox)
                let result = try #require(try await attempts(simulator, .sandbox).last?.first?.sendAttemptResult)
                #expect(result == (isSuccess ? .success : .unsuccessfulHTTPResponseCode), "\(status)")
            }
        }
    }

    @Test func `A redirect is followed, and a circular redirect is a failed attempt`() async throws {
        try await Simulator.runWithReceiver { simulator, receiver in
            receiver.answer(.redirect("/elsewhere"))
            try await simulator.buy(Self.coins, in: .sandbox)
            receiver.answerAll(.redirect("/notifications"))
            try await simulator.buy(Self.coins, in: .sandbox)
            let results = try await attempts(simulator, .sandbox).compactMap { $0.first?.sendAttemptResult }
            #expect(results == [.success, .circularRedirect])
        }
    }

    @Test func `An attempt without a response in time is recorded as timed out`() async throws {
        try await Simulator.runWithReceiver {
            $0.sandbox.deliveryTimeout = 0.05
        } _: { simulator, receiver in
            receiver.answer(.nothing)
            try await simulator.buy(Self.coins, in: .sandbox)
            #expect(try await attempts(simulator, .sandbox).map { $0.map(\.sendAttemptResult) } == [[.timedOut]])
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `An attempt whose response begins in time but does not end is recorded as timed out`() async throws {
        try await Simulator.runWithReceiver {
            $0.sandbox.deliveryTimeout = 0.5
        } _: { simulator, receiver in
            receiver.answer(.unfinished)
            try await simulator.buy(Self.coins, in: .sandbox)
            #expect(try await attempts(simulator, .sandbox).map { $0.map(\.sendAttemptResult) } == [[.timedOut]])
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `A refused connection is recorded as a socket issue without waiting for the timeout`(_ host: String)
        async throws
    {
        let port = try ClosedPort()
        defer { port.release() }
        try await Simulator.run {
            $0.sandbox.notificationURL = "http://\(host):\(port.number)/notifications"
        } _: { simulator in
            let duration = try await ContinuousClock().measure { try await simulator.buy(Self.coins, in: .sandbox) }
            // The timeout is ten minutes.
            #expect(duration < .seconds(500))
            let results = try await attempts(simulator, .sandbox).map { $0.map(\.sendAttemptResult) }
            #expect(results == [[.socketIssue]])
        }
    }

    @Test func `A test notification is delivered, and its status lists the attempt`() async throws {
        try await Simulator.runWithReceiver { simulator, receiver in
            for environment in [AppStoreEnvironment.production, .sandbox] {
                let client = try simulator.client(environment)
                let token = try await client.requestTestNotification().testNotificationToken
                try await simulator.processDueEvents()
                let status = try await client.testNotification(token)
                #expect(status.sendAttempts.map(\.sendAttemptResult) == [.success])
                #expect(try receiver.payloads.last == status.signedPayload)
                let verified = try await simulator.verifier().notification(status.signedPayload)
                #expect(verified.payload.notificationType == .test)
            }
        }
    }
}
