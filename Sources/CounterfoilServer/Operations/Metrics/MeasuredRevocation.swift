internal import AppStoreTrust
internal import CoreMetrics
internal import Foundation

/// Carries questions to responders, and notes how long they take.
struct MeasuredRevocation: RevocationTransport {
    let transport: any RevocationTransport
    let metrics: ServerMetrics

    func answer(to request: Data, from responder: URL, maximumBytes: Int) async throws -> Data {
        let start = ContinuousClock.now
        defer { metrics.revocation.record(since: start) }
        do { return try await transport.answer(to: request, from: responder, maximumBytes: maximumBytes) } catch {
            metrics.revocationFailures.increment()
            throw error
        }
    }
}
