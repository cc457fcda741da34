internal import AppStoreModels
internal import Entitlements
internal import Foundation
package import Ledger

extension MemoryLedger: EventFeedStorage {
    package func status() async throws -> FanOutStatus { try read { $0.status } }

    package func lastEvent() async throws -> Int64 { try read { $0.lastEvent } }

    package func lastEventsOfCustomers(
        in scope: Int64, limit: Int, amongLast depth: Int64
    ) async throws -> [LedgerEvent] {
        try read { state in
            Array(
                state.events.suffix(Int(depth)).reversed().filter { $0.scope == scope && $0.customer != nil }
                    .prefix(limit))
        }
    }

    package func events(_ query: FeedQuery, within gate: FanOutLimit) async throws -> FeedPage {
        try read { state in
            let found = state.numberedEvents.filter { $0.number > query.after }
            let (events, cursor, isHeld) = query.page(
                of: found, holds: { state.isHeld($0.event, gate) }, newer: { state.newer(than: $0.event) })
            var page = FeedPage(cursor: cursor)
            page.hasMore = !isHeld && found.last.map { $0.number > cursor } ?? false
            page.items = events.map { state.item($0.event, late: $0.late) }
            return page
        }
    }
}

extension MemoryLedger {
    /// An event with its number.
    struct Numbered: Sendable, DeliverableEvent {
        var number: Int64
        var event: LedgerEvent

        var type: EventType { event.type }
        var originalTransactionID: String? { event.originalTransactionID }
        var scope: Int64 { event.scope }
        var happenedAt: Milliseconds { event.occurredAt }
        var createdAt: Milliseconds { event.createdAt }
        var isLate: Bool { event.isLate }
        var lane: String {
            DeliveryLane.name(customer: event.customer, purchase: originalTransactionID, event: number, in: scope)
        }
        /// The name of the second lane.
        var purchase: String? { originalTransactionID.map { DeliveryLane.purchase($0, in: scope) } }
    }
}

extension MemoryLedger.State {
    var status: FanOutStatus {
        FanOutStatus(
            oldestWaiting: inbox.keys.filter { $0 > 0 }.min(), newest: notifications.keys.max() ?? 0,
            recoveries: Set(recoveries.values.filter { $0.run.state == .open }.map(\.run.id)))
    }

    /// The events with their numbers, which are the multiples of the step.
    var numberedEvents: [MemoryLedger.Numbered] {
        events.enumerated().map { .init(number: Int64($0.offset + 1) * step, event: $0.element) }
    }

    /// The number of the last event.
    var lastEvent: Int64 { Int64(events.count) * step }

    /// Whether an event must wait: its notification is beyond the limit, or recovered while recovered ones are held.
    func isHeld(_ event: LedgerEvent, _ gate: FanOutLimit) -> Bool {
        gate.holds(eventOf: event.notification) { notifications[$0]?.origin }
    }

    fileprivate func item(_ numbered: MemoryLedger.Numbered, late: Int64? = nil) -> FeedItem {
        FeedItem(
            number: numbered.number, event: numbered.event,
            notification: numbered.event.notification.flatMap { storedNotification($0) }, late: late)
    }

    /// Returns the events that are repeated after a late event of the same purchase.
    func newer(than late: LedgerEvent) -> [MemoryLedger.Numbered] {
        guard let original = late.originalTransactionID, !isDamaged(original, in: late.scope),
            let record = records[.init(late.scope, original)]
        else { return [] }
        let all = numberedEvents
        return ResendDecision.after(late.occurredAt, in: record) { notification in
            all.first { $0.event.notification == notification }
        }
    }
}

// The outbox.
extension MemoryLedger.State {
    /// Adds the event if new facts changed the owner of a purchase.
    mutating func emitEvent(
        from former: Lineage?, on purchase: MemoryLedger.Key, learned now: Milliseconds
    ) {
        guard let former, let present = records[purchase]?.lineage else { return }
        let event = LedgerEvent(from: former, to: present, learned: now, in: purchase.scope) {
            owners(of: $0, in: purchase.scope)
        }
        guard let event else { return }
        rescheduleInquiries(at: now, about: [present.originalTransactionID], in: purchase.scope)
        add(event)
    }

    /// Adds an event to the outbox. A notification has one event; every other event is unique by its identifier.
    mutating func add(_ event: LedgerEvent) {
        let exists = events.contains { known in
            event.notification.map { $0 == known.notification } ?? known.id.isExactly(event.id)
        }
        guard !exists else { return }
        var event = event
        event.customer = event.customer ?? event.originalTransactionID.flatMap { owners(of: $0, in: event.scope).first }
        events.append(event)
    }
}
