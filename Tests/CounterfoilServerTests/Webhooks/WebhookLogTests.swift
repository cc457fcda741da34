import CounterfoilServer
import Synchronization
import Testing

@testable import LedgerServices

@Suite struct `Log entries of webhooks` {
    @Test func `The log names the endpoint of a failed delivery and of an endpoint that was disabled`() async throws {
        try await expectNames { _ in }
    }

    /// The cache is discarded when an endpoint is disabled, also while others wait for a response.
    @Test func `The log names an endpoint also while the cached endpoints are discarded`() async throws {
        try await expectNames { dispatcher in dispatcher.state.withLock { $0.endpoints = nil } }
    }

    /// Delivers an event to an endpoint that answers 410, and expects its name in the log.
    private func expectNames(whileWaiting action: @escaping @Sendable (WebhookDispatcher) -> Void) async throws {
        let lines = LogCapture()
        try await WebhookReceiver.run { receiver in
            let url = receiver.url
            try await World.run(
                server: { $0.webhooks = [World.webhook("backend", url + "/backend")] },
                logger: lines.logger(ServerConfiguration.Log())
            ) { world in
                let dispatcher = try world.server.core.webhooks
                receiver.answer { _ in
                    action(dispatcher)
                    return WebhookReceiver.Answer(status: 410)
                }
                _ = try await world.buy("anna")
                try await world.deliverWebhooks()
            }
        }
        #expect(lines.text.contains("a webhook was not delivered attempt=1 endpoint=backend "))
        #expect(lines.text.contains("a webhook endpoint was disabled endpoint=backend reason=gone"))
    }
}
