internal import AppStoreModels
internal import Entitlements

/// What decides whether an event is sent again.
package protocol RepeatableEvent {
    var type: EventType { get }
    var originalTransactionID: String? { get }
}

extension LedgerEvent: RepeatableEvent {}

/// Which events are sent again after one that turned up late, so that a receiver that believes the last message ends with
/// the newest state: the rule, on values.
package enum EventRepeats {
    /// The events about a purchase that are newer than one of an instant, the oldest first, at most
    /// ``LedgerEvent/maximumRepeats``. Of renewals only the newest is among them, since it says all that the others said.
    ///
    /// - Parameter event: The event of a notification; nil if it has none. It is asked for no more than are needed.
    package static func after<Event: RepeatableEvent>(
        _ instant: Milliseconds, in record: LineageRecord, event: (_ notification: Int64) throws -> Event?
    ) rethrows -> [Event] {
        // A consumable is counted, not had: who is told of it twice counts it twice.
        guard record.lineage.transactions.first?.type != .consumable else { return [] }
        let newestFirst = record.mentions.filter { $0.signedDate > instant }
            .sorted { ($0.signedDate, $0.notification) > ($1.signedDate, $1.notification) }
        var found: [Event] = []
        var hasRenewal = false
        for mention in newestFirst where found.count < LedgerEvent.maximumRepeats {
            // Of a notification whose texts name two purchases the event is about the first.
            guard let event = try event(mention.notification),
                event.originalTransactionID?.isExactly(record.lineage.originalTransactionID) ?? false
            else { continue }
            let isRenewal = event.type == .subscriptionRenewed
            if isRenewal, hasRenewal { continue }
            hasRenewal = hasRenewal || isRenewal
            found.append(event)
        }
        return found.reversed()
    }
}
