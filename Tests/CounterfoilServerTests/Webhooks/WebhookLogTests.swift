import CounterfoilServer
import Testing

@Suite struct `Log entries of webhooks` {
    @Test func `The log names the endpoint of a failed delivery and of an endpoint that was disabled`() async throws {
        let lines = LogCapture()
        try await WebhookReceiver.run { receiver in
            let url = receiver.url
            try await World.run(
                server: { $0.webhooks = [World.webhook("backend", url + "/backend")] },
                logger: lines.logger(ServerConfiguration.Log())
            ) { world in
                receiver.answer(410)
                _ = try await world.buy("anna")
                try await world.deliverWebhooks()
            }
        }
        #expect(lines.text.contains("a webhook was not delivered attempt=1 endpoint=backend "))
        #expect(lines.text.contains("a webhook endpoint was disabled endpoint=backend reason=gone"))
    }
}
