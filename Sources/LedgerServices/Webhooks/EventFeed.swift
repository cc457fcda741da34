internal import AppStoreTrust
package import Foundation
package import Ledger
internal import Synchronization

/// Serves the events that webhooks send to clients that poll: the same objects in the same order.
package final class EventFeed: Sendable {
    private let storage: any WebhookStorage & EventFeedStorage
    private let renderer: EventRenderer
    private let gate = Mutex(FanOutGate())

    package init(_ storage: any WebhookStorage & EventFeedStorage, _ renderer: EventRenderer) {
        (self.storage, self.renderer) = (storage, renderer)
    }

    /// Returns a page of events, each as the body of a webhook request. `cursor` is where the next page begins.
    ///
    /// - Throws: ``ServiceFailure`` if a stored text cannot be verified now, for example because an OCSP responder does
    ///   not answer; ``StorageError``.
    package func page(_ query: FeedQuery) async throws -> (bodies: [Data], cursor: Int64, hasMore: Bool) {
        let status = try await storage.status()
        let limit = gate.withLock { $0.limit(status, at: .now) }
        let page = try await storage.events(query, within: limit)
        var bodies: [Data] = []
        for item in page.items {
            do {
                if let body = try await body(of: item) { bodies.append(body) }
            } catch is EventRenderer.NotificationPending {
                // The notification is being reprocessed. The client repeats the request with the same cursor.
                return ([], query.after, true)
            } catch let error as VerificationError {
                // Fail the page: a cursor past this event would skip it.
                throw ServiceFailure(error)
            }
        }
        return (bodies, page.cursor, page.hasMore)
    }

    private func body(of item: FeedItem) async throws -> Data? {
        let delivery = WebhookDelivery(
            id: item.late ?? item.number, endpoint: 0, event: item.number, variant: 0, state: .pending, attempts: 0,
            createdAt: item.event.createdAt, eventID: item.event.id, eventType: item.event.type,
            isRepeat: item.late != nil)
        return try await renderer.body(item.event, item.notification, as: delivery, payload: .counterfoil)
    }
}
