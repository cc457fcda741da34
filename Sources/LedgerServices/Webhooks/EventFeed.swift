package import Ledger
internal import AppStoreTrust
package import Foundation
internal import Synchronization

/// The events that webhooks tell, for who asks for them: the same objects in the same order.
package final class EventFeed: Sendable {
    private let storage: any WebhookStorage & EventFeedStorage
    private let renderer: EventRenderer
    private let gate = Mutex(FanOutGate())

    package init(_ storage: any WebhookStorage & EventFeedStorage, _ renderer: EventRenderer) {
        (self.storage, self.renderer) = (storage, renderer)
    }

    /// A page, each event as the body that an endpoint would be sent.
    ///
    /// - Throws: ``ServiceFailure`` where a text can be judged only later, as when an OCSP responder has to be asked and is
    ///   silent; ``StorageError``.
    package func page(_ query: FeedQuery) async throws -> (bodies: [Data], cursor: Int64, hasMore: Bool) {
        let status = try await storage.status()
        let limit = gate.withLock { $0.limit(status, at: .now) }
        let page = try await storage.events(query, within: limit)
        var bodies: [Data] = []
        for item in page.items {
            do { if let body = try await body(of: item) { bodies.append(body) } } catch is EventRenderer.NotYet {
                // It is read anew at the moment. Who asks again finds it.
                return ([], query.after, true)
            } catch let error as VerificationError {
                // Nobody is led past it.
                throw ServiceFailure(error)
            }
        }
        return (bodies, page.cursor, page.hasMore)
    }

    private func body(of item: FeedItem) async throws -> Data? {
        var delivery = WebhookDelivery(
            id: item.late ?? item.number, endpoint: 0, event: item.number, variant: 0, state: .pending, attempts: 0,
            due: nil, lastStatus: nil, lastError: nil, createdAt: item.event.createdAt, endedAt: nil, body: nil,
            eventID: item.event.id, eventType: item.event.type)
        delivery.isRepeat = item.late != nil
        return try await renderer.body(item.event, item.notification, as: delivery, payload: .counterfoil)
    }
}
