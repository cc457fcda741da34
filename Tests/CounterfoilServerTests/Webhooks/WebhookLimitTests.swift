internal import NIOHTTP1
import TestSupport
import Testing

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

@Suite struct `The number of webhooks` {
    /// Both requests had counted the endpoints before one of them added its own.
    @Test func `Endpoints that are created at the same time do not exceed the maximum`() async throws {
        try await World.runWithWebhooks { world, _ in
            let webhooks = try world.server.core.webhooks
            // The configuration has one more.
            for number in 1...98 {
                _ = try await webhooks.add(World.webhook("endpoint-\(number)", "http://127.0.0.1:1/"))
            }
            let requests = try await webhooks.serializeChanges {
                let requests = ["one", "two"].map { name in
                    Task {
                        let body = #"{"name": "\#(name)", "url": "https://93.184.216.34/hooks"}"#
                        return try await world.send(.POST, "/v1/webhooks", body).status
                    }
                }
                try await waitUntil("both requests wait") { webhooks.changeLock.waiting == 2 }
                return requests
            }
            var statuses: [UInt] = []
            for request in requests { statuses.append(try await request.value) }
            #expect(statuses.sorted() == [201, 409])
        }
    }

    /// Each endpoint that does not respond has a connection, and a process that has no descriptor left ends.
    @Test func `Descriptors are left for each webhook endpoint`() {
        var configuration = ServerConfiguration(apps: [])
        let all = HTTPService.connections(configuration, ofConsole: false)
        configuration.webhooks = (0..<300).map {
            ServerConfiguration.Webhook(name: "w\($0)", url: "https://example.com", secrets: [])
        }
        let rest = HTTPService.connections(configuration, ofConsole: false)
        // With a low limit of open files, both are the least number of connections.
        #expect(rest == max(64, all - 300))
    }
}
