package import AppStoreTrust
internal import CoreMetrics
package import Foundation

/// A transport for OCSP requests that records their durations and failures.
package struct MeasuredRevocation: RevocationTransport {
    private let transport: any RevocationTransport
    private let metrics: ServerMetrics

    package init(_ transport: any RevocationTransport, metrics: ServerMetrics) {
        (self.transport, self.metrics) = (transport, metrics)
    }

    package func send(_ request: Data, to responder: URL, maximumResponseBytes: Int) async throws -> Data {
        let start = ContinuousClock.now
        defer { metrics.revocation.record(since: start) }
        do {
            return try await transport.send(request, to: responder, maximumResponseBytes: maximumResponseBytes)
        } catch {
            metrics.revocationFailures.increment()
            throw error
        }
    }
}
