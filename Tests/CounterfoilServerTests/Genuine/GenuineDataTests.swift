import AppStoreModels
import AppStoreServer
import AsyncHTTPClient
import CounterfoilServer
import Entitlements
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

/// The App Store's sandbox notifications about one person, from three minutes in 2025: resubscribed for three months,
/// changed to one month at once, turned renewal off, chose three months for the renewal, chose one month again, turned
/// renewal off, and let the subscription expire.
@Suite(.enabled(if: Fixtures.hasSignedData, Comment(rawValue: Fixtures.absence)))
struct `The App Store's own notifications` {
    private static let month = "com.getsession.org.pro_sub"
    private static let quarter = "com.getsession.org.pro_sub_3_months"

    /// The expected state of the subscription at an instant.
    private struct ExpectedState {
        var instant: Int64
        var status: SubscriptionStatus
        var product: String
        var expires: Int64
        var willRenew: Bool
        var next: String
        var intent: ExpirationIntent?
    }

    private static let expectedStates = [
        active(1_759_727_785_445, quarter, until: 1_759_728_318_000, renewsInto: quarter),
        active(1_759_727_799_810, month, until: 1_759_727_970_000, renewsInto: month),
        active(1_759_727_821_952, month, until: 1_759_727_970_000, renewsInto: nil),
        active(1_759_727_838_450, month, until: 1_759_727_970_000, renewsInto: quarter),
        active(1_759_727_866_231, month, until: 1_759_727_970_000, renewsInto: month),
        active(1_759_727_876_877, month, until: 1_759_727_970_000, renewsInto: nil),
        // The period is over, but the notification of the expiration came sixteen seconds later.
        ExpectedState(
            instant: 1_759_727_970_000, status: .expired, product: month, expires: 1_759_727_970_000, willRenew: false,
            next: month),
        ExpectedState(
            instant: 1_759_727_985_799, status: .expired, product: month, expires: 1_759_727_970_000, willRenew: false,
            next: month, intent: .customerCancelled),
    ]

    private static func active(
        _ instant: Int64, _ product: String, until expires: Int64, renewsInto next: String?
    ) -> ExpectedState {
        ExpectedState(
            instant: instant, status: .active, product: product, expires: expires, willRenew: next != nil,
            next: next ?? product)
    }

    @Test func `Genuine notifications are accepted and give the right state at each instant`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let server = try await Self.server(folder)
            do {
                try await post(to: server)
                try await checkStates(server)
            } catch {
                try await server.stop()
                throw error
            }
            try await server.stop()
        }
    }

    private static func server(_ folder: URL) async throws -> Server {
        var app = ServerConfiguration.App(bundleID: "com.loki-project.loki-messenger", appAppleID: 1_470_168_868)
        app.catalogue.entitlements = ["pro": [month, quarter]]
        let tested = ServerConfiguration.App(bundleID: "com.Abilities", environments: [.sandbox])
        var configuration = ServerConfiguration(apps: [app, tested])
        configuration.listen.port = 0
        configuration.trust.validationTime = .signingDate
        configuration.trust.revocation = .off
        configuration.recovery.isEnabled = false
        configuration.storage.path = folder.appending(path: "genuine.sqlite").path
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return try await Server.start(
            configuration, clock: .showing { Date(timeIntervalSince1970: 1_759_800_000) }, logger: logger)
    }

    /// Posts the notifications in reverse order, and two of them twice.
    private func post(to server: Server) async throws {
        let notifications = Fixtures.signedData.filter { $0.kind == "notification" }
        #expect(notifications.count == 8)
        for fixture in notifications.reversed() + notifications.prefix(2) {
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)/apple/notifications")
            request.method = .POST
            request.body = .bytes(ByteBuffer(string: "{\"signedPayload\":\"\(try fixture.text())\"}"))
            let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
            #expect(answer.status == .ok, "\(fixture)")
        }
        let processor = server.core.processor
        try await waitForEnd("all notifications are processed") { await processor.waitUntilIdle() }
    }

    private func checkStates(_ server: Server) async throws {
        let core = server.core
        let appEnvironment = try #require(core.scopes["com.loki-project.loki-messenger", .sandbox])
        let stored = try await core.storage.notifications(about: "2000001024993299", in: appEnvironment.id, limit: 100)
        #expect(stored.map(\.state) == Array(repeating: .processed, count: 7))
        let claim = Claim(
            customer: "jay", scope: appEnvironment.id, originalTransactionIDs: ["2000001024993299"], policy: .transfer,
            claimedAt: core.now.milliseconds)
        #expect(try await core.storage.claim(claim) { _ in true } == .granted(["2000001024993299"]))
        let before = try await core.customers.customer(
            "jay", in: appEnvironment, at: Date(milliseconds: 1_759_727_777_999))
        #expect(before.states.subscriptions.isEmpty)
        for expected in Self.expectedStates {
            let states = try await core.customers.customer(
                "jay", in: appEnvironment, at: Date(milliseconds: expected.instant)
            )
            .states
            let state = try #require(states.subscriptions.first)
            let instant = Comment(rawValue: "\(expected.instant)")
            #expect(states.subscriptions.count == 1, instant)
            #expect(state.status == expected.status, instant)
            #expect(state.productID == expected.product, instant)
            #expect(state.expiresDate == Date(milliseconds: expected.expires), instant)
            #expect(state.willRenew == expected.willRenew, instant)
            #expect(state.autoRenewProductID == expected.next, instant)
            #expect(state.expirationIntent == expected.intent, instant)
            #expect(states.entitlement("pro")?.isActive == (expected.status == .active), instant)
        }
    }
}
