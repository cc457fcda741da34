package import AppStoreServer
internal import AppStoreTrust
internal import CoreMetrics
package import Ledger

/// Accepts notifications from all origins: verifies the outer signature, stores the text, then queues it for
/// processing.
package struct Ingest: Sendable {
    /// Verifies notifications that the App Store has just sent.
    let live: SignedDataVerifier
    /// Verifies notifications that were signed earlier, by certificates that may have expired since.
    let historical: SignedDataVerifier
    let scopes: AppEnvironmentRegistry
    let writer: LedgerWriter
    let processor: NotificationProcessor
    let clock: ServerClock
    let metrics: ServerMetrics

    package init(
        live: SignedDataVerifier, historical: SignedDataVerifier, scopes: AppEnvironmentRegistry, writer: LedgerWriter,
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

    /// The result of ``accept(_:origin:)``.
    package struct Acceptance: Sendable {
        package var insertion: InsertionResult
        package var signedDate: Milliseconds
        package var appEnvironment: AppEnvironment
    }

    /// Verifies and stores a notification. It is on disk when this method returns. A genuine one that this version
    /// cannot read is stored too; processing marks it as failed.
    ///
    /// - Parameters:
    ///   - signedPayload: The `signedPayload` as received.
    ///   - origin: How the notification arrived. Certificates of delivered notifications must be valid now, those of
    ///     all others at the signing date.
    /// - Throws: ``AppStoreTrust/VerificationError`` if the signature is invalid or the app is not configured;
    ///   ``StorageError`` if the notification could not be stored. With the code `unconfirmed` it may be stored; then
    ///   it is processed.
    package func accept(_ signedPayload: String, origin: Origin) async throws -> Acceptance {
        let verifier = origin == .delivered ? live : historical
        let start = ContinuousClock.now
        let notification = try await writer.expecting {
            try await metrics.spans.measure("verify") { try await verifier.genuineNotification(signedPayload) }
        }
        metrics.verification.record(since: start)
        let envelope = notification.envelope
        guard let appEnvironment = scopes[envelope.bundleID, envelope.environment] else {
            throw VerificationError(.wrongApp, "signed for an app or an environment that is not configured")
        }
        let received = ReceivedNotification(
            notification, in: appEnvironment, at: clock.arrival(ofSigned: envelope.signedDate), origin: origin)
        let insertion: InsertionResult
        do { insertion = try await writer.receive(received) } catch let error as StorageError
            where error.code == .unconfirmed
        {
            // If the notification is stored, its next delivery is a duplicate, which is not processed.
            processor.rescan()
            throw error
        }
        switch insertion {
        case .stored(let id):
            metrics.countNewNotification(type: received.type, subtype: received.subtype)
            if LateDelivery.isLate(signed: received.signedDate, received: received.receivedAt, origin) {
                metrics.late.increment()
            }
            processor.add(
                NotificationProcessor.Job(
                    id: id, appEnvironment: appEnvironment, content: .init(notification),
                    receivedAt: received.receivedAt))
        case .duplicate: metrics.duplicates.increment()
        }
        return Acceptance(
            insertion: insertion, signedDate: received.signedDate, appEnvironment: appEnvironment)
    }
}
