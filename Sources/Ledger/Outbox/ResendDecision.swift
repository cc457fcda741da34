internal import AppStoreModels
internal import Entitlements

/// The properties of an event that decide whether it is sent again.
package protocol ResendableEvent {
    var type: EventType { get }
    var originalTransactionID: String? { get }
}

extension LedgerEvent: ResendableEvent {}

/// Decides which events are sent again after a late one, so that a receiver that trusts the last message ends with the
/// newest state. A pure function on values.
package enum ResendDecision {
    /// Returns the events about a purchase that are newer than an instant, the oldest first, at most
    /// ``LedgerEvent/maximumResentEvents``. Of renewals only the newest is included, because it supersedes the others.
    ///
    /// - Parameter event: Returns the event of a notification; nil if it has none. Called no more often than necessary.
    package static func after<Event: ResendableEvent>(
        _ instant: Milliseconds, in record: LineageRecord, event: (_ notification: Int64) throws -> Event?
    ) rethrows -> [Event] {
        // A receiver counts consumables, so it would count a repeated one twice.
        guard record.lineage.transactions.first?.type != .consumable else { return [] }
        let newestFirst = record.mentions.filter { $0.signedDate > instant }
            .sorted { ($0.signedDate, $0.notification) > ($1.signedDate, $1.notification) }
        var found: [Event] = []
        var hasRenewal = false
        for mention in newestFirst where found.count < LedgerEvent.maximumResentEvents {
            // If different texts of a notification name two purchases, the event is about the first.
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
