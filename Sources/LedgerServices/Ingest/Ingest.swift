package import Ledger
internal import AppStoreModels
package import AppStoreServer
package import AppStoreTrust
internal import CoreMetrics
internal import Foundation

/// The way in for notifications, wherever they come from: verified outside, kept on disk, then handed on to be folded.
package struct Ingest: Sendable {
    /// Who proves what arrives now.
    let live: SignedDataVerifier
    /// Who proves what was signed earlier, by certificates that may have expired since.
    let historical: SignedDataVerifier
    let scopes: ScopeRegistry
    let writer: LedgerWriter
    let processor: NotificationProcessor
    let clock: ServerClock
    let metrics: ServerMetrics

    package init(
        live: SignedDataVerifier, historical: SignedDataVerifier, scopes: ScopeRegistry, writer: LedgerWriter,
        processor: NotificationProcessor, clock: ServerClock, metrics: ServerMetrics
    ) {
        self.live = live
        self.historical = historical
        self.scopes = scopes
        self.writer = writer
        self.processor = processor
        self.clock = clock
        self.metrics = metrics
    }

    /// What became of a notification, and what it was.
    package struct Acceptance: Sendable {
        package var reception: Reception
        package var notification: Verified<ResponseBodyV2DecodedPayload>
        package var scope: Scope
    }

    /// Keeps a `signedPayload`. It is on disk when this returns.
    ///
    /// - Parameters:
    ///   - signedPayload: The text.
    ///   - origin: How it came here. What the App Store has just sent is judged now, everything else at its signing date.
    /// - Throws: ``AppStoreTrust/VerificationError`` for what is not to be believed; ``StorageError`` when it could not be
    ///   kept.
    package func accept(_ signedPayload: String, origin: Origin) async throws -> Acceptance {
        let verifier = origin == .delivered ? live : historical
        let start = ContinuousClock.now
        let verified = try await writer.expecting {
            try await metrics.spans.measure("verify") { try await verifier.notification(signedPayload) }
        }
        metrics.verification.record(since: start)
        let audience = NotificationAudience(verified.payload)
        guard let bundleID = audience.bundleID, let environment = audience.environment,
            let scope = scopes[bundleID, environment]
        else { throw VerificationError(.wrongApp, "signed for an app or an environment that is not configured") }
        let received = ReceivedNotification(
            verified, scope: scope, at: clock.arrival(ofSigned: verified.payload.signedDate), origin: origin)
        let reception = try await writer.receive(received)
        switch reception {
        case .kept(let id):
            metrics.countKept(type: received.type, subtype: received.subtype)
            if LateDelivery.isLate(signed: received.signedDate, received: received.receivedAt, origin) {
                metrics.late.increment()
            }
            processor.add(
                NotificationProcessor.Job(
                    id: id, scope: scope, content: .verified(verified), receivedAt: received.receivedAt))
        case .duplicate: metrics.duplicates.increment()
        }
        return Acceptance(reception: reception, notification: verified, scope: scope)
    }
}
