import AppStoreModels
import AppStoreServer
import AsyncHTTPClient
import CounterfoilServer
import Entitlements
import Foundation
import NIOCore
import NIOHTTP1
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite(.timeLimit(.minutes(10))) struct `Server shutdown` {
    @Test func `A stopping server finishes running requests and keeps the notifications that it acknowledged`()
        async throws
    {
        // On a busy machine the rest of the request may be sent minutes after the shutdown began.
        try await World.run(server: { $0.limits.shutdownTimeout = .seconds(600) }) { world in
            let token = UUID()
            let body = try await Self.undelivered(world, token)
            let (parts, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
            async let answer = Self.post(parts, length: body.utf8.count, to: world.url)
            let middle = body.utf8.count / 2
            continuation.yield(ByteBuffer(bytes: body.utf8.prefix(middle)))
            let requests = try world.server.core.requests
            try await waitUntil("a request is under way") { requests.underWay > 0 }
            let readiness = try world.server.core.readiness
            async let stopped: Void = world.stopServer()
            try await waitUntil("the server is draining") { readiness.isDraining }
            continuation.yield(ByteBuffer(bytes: body.utf8.dropFirst(middle)))
            continuation.finish()
            #expect(try await answer == 200)
            try await stopped

            try await world.startServer()
            try await world.waitUntilIdle()
            let customer = token.uuidString.lowercased()
            let reading = try await world.server.core.customers.customer(customer, in: world.appEnvironment(), at: nil)
            #expect(reading.states.subscriptions.map(\.status) == [.active])
        }
    }

    @Test func `A stopping server cancels a request that takes longer than the shutdown timeout`() async throws {
        try await World.run(server: { $0.limits.shutdownTimeout = .milliseconds(100) }) { world in
            // The body never arrives.
            let connection = try RawConnection(url: world.url)
            connection.send("POST /apple/notifications HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
            let requests = try world.server.core.requests
            try await waitUntil("a request is under way") { requests.underWay > 0 }
            try await world.stopServer()
            _ = await connection.read()
            #expect(connection.isClosed)
        }
    }

    @Test
    func `A stopping server waits for a webhook receiver until its timeout, and sends again after the next start`()
        async throws
    {
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        try await World.runWithWebhooks({ configuration, _ in
            configuration.limits.webhookDrainTimeout = .milliseconds(100)
        }) { world, receiver in
            receiver.answer { _ in .init(status: 200, delay: answers) }
            _ = try await world.buy("anna")
            var messages: [WebhookReceiver.Message] = []
            try await waitUntil("a receiver has not answered yet") {
                messages += receiver.take()
                return !messages.isEmpty
            }
            try await world.stopServer()
            answer.finish()
            receiver.answer(200)
            try await world.startServer()
            try await world.deliverWebhooks()
            #expect(receiver.take().map(\.id) == messages.map(\.id))
        }
    }

    /// Returns the body of a notification that the App Store could not deliver.
    private static func undelivered(_ world: World, _ token: UUID) async throws -> String {
        world.simulator.configure { $0.notificationURL = nil }
        try await world.simulator.perform(
            .purchase(customer: "anna", product: "com.example.premium.monthly", appAccountToken: AppAccountToken(token))
        )
        let core = try world.server.core
        guard let client = core.clients[try world.appEnvironment().id] else { throw CocoaError(.coderValueNotFound) }
        let request = NotificationHistoryRequest(startDate: World.start - 3600, endDate: World.start + 3600)
        for try await page in client.notificationHistory(request) {
            if let text = page.notificationHistory.first?.signedPayload { return "{\"signedPayload\":\"\(text)\"}" }
        }
        throw CocoaError(.coderValueNotFound)
    }

    private static func post(_ parts: AsyncStream<ByteBuffer>, length: Int, to url: String) async throws -> Int {
        var request = HTTPClientRequest(url: url + "/apple/notifications")
        request.method = .POST
        request.body = .stream(parts, length: .known(Int64(length)))
        return Int(try await HTTPClient.shared.execute(request, timeout: .seconds(600)).status.code)
    }
}
