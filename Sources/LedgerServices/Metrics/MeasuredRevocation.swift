package import AppStoreTrust
internal import CoreMetrics
package import Foundation

/// Carries questions to responders, and notes how long they take.
package struct MeasuredRevocation: RevocationTransport {
    private let transport: any RevocationTransport
    private let metrics: ServerMetrics

    package init(_ transport: any RevocationTransport, metrics: ServerMetrics) {
        (self.transport, self.metrics) = (transport, metrics)
    }

    package func answer(to request: Data, from responder: URL, maximumBytes: Int) async throws -> Data {
        let start = ContinuousClock.now
        defer { metrics.revocation.record(since: start) }
        do { return try await transport.answer(to: request, from: responder, maximumBytes: maximumBytes) } catch {
            metrics.revocationFailures.increment()
            throw error
        }
    }
}
