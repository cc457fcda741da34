import CounterfoilServer
import Foundation
import InMemoryTracing
import StoreSimulator
import TestSupport
import Testing
import Tracing

@testable import LedgerServices

@Suite struct `The spans of a server` {
    @Test func `Spans follow a notification from its request to the webhook, without customer data`() async throws {
        let tracer = InMemoryTracer()
        try await WebhookReceiver.run { receiver in
            try await follow(tracer, World.webhook("backend", receiver.url))
        }
    }

    private func follow(_ tracer: InMemoryTracer, _ webhook: ServerConfiguration.Webhook) async throws {
        try await World.run(server: { $0.webhooks = [webhook] }, tracer: tracer) { world async throws in
            let token = UUID()
            try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: "com.example.premium.monthly", appAccountToken: AppAccountToken(token)))
            try await world.deliverWebhooks()
            _ = try await world.request("/v1/customers/\(token.uuidString.lowercased())")
            _ = try await world.request("/nowhere/\(token)")
            // The processor is idle a moment before this span ends.
            try await waitUntil("the span of the processing has ended") {
                tracer.finishedSpans.contains { $0.operationName == "process" }
            }
            let spans = tracer.finishedSpans
            let request = try #require(spans.first { $0.operationName == "POST /apple/notifications" })
            #expect(request.kind == .server && request.attributes.get("http.response.status_code") == 200)
            let verification = try #require(spans.first { $0.operationName == "verify" })
            #expect(verification.traceID == request.traceID && verification.parentSpanID == request.spanID)
            for name in ["commit", "process", "deliver", "GET none"] {
                #expect(spans.contains { $0.operationName == name }, "\(name)")
            }
            #expect(spans.contains { $0.attributes.get("counterfoil.received") == 1 })
            // No span contains customer data.
            for span in spans {
                #expect(!span.operationName.localizedCaseInsensitiveContains(token.uuidString))
                span.attributes.forEach { name, value in
                    #expect(!"\(name) \(value)".localizedCaseInsensitiveContains(token.uuidString))
                }
            }
        }
    }
}
