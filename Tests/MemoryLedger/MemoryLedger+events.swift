internal import AppStoreModels
internal import Entitlements
internal import Foundation
package import Ledger

extension MemoryLedger: EventFeedStorage {
    package func status() async throws -> FanOutStatus { try read { $0.status } }

    package func lastEvent() async throws -> Int64 { try read { Int64($0.events.count) } }

    package func events(_ query: FeedQuery, within gate: FanOutLimit) async throws -> FeedPage {
        try read { state in
            var chosen: [Numbered] = []
            var page = FeedPage(cursor: query.after)
            var isHeld = false
            let found = state.numberedEvents.filter { $0.number > query.after }
            for candidate in found where chosen.count < query.limit {
                isHeld = state.holds(candidate.event, gate)
                if isHeld { break }
                page.cursor = candidate.number
                guard query.scopes.contains(candidate.event.scope), candidate.event.type != .webhookTest else {
                    continue
                }
                chosen.append(candidate)
            }
            page.hasMore = !isHeld && found.last.map { $0.number > page.cursor } ?? false
            for told in chosen.sorted(by: { ($0.event.occurredAt, $0.number) < ($1.event.occurredAt, $1.number) }) {
                page.items.append(state.item(told))
                guard told.event.isLate else { continue }
                for newer in state.newer(than: told.event) where newer.number <= query.after {
                    page.items.append(state.item(newer, late: told.number))
                }
            }
            return page
        }
    }
}

extension MemoryLedger {
    /// An event with its number.
    struct Numbered: Sendable {
        var number: Int64
        var event: LedgerEvent
    }

}

extension MemoryLedger.State {
    var status: FanOutStatus {
        FanOutStatus(
            oldestWaiting: inbox.keys.filter { $0 > 0 }.min(), newest: notifications.keys.max() ?? 0,
            recoveries: Set(recoveries.values.filter { $0.run.state == .open }.map(\.run.id)))
    }

    var numberedEvents: [MemoryLedger.Numbered] {
        events.enumerated().map { .init(number: Int64($0.offset + 1), event: $0.element) }
    }

    /// Whether an event has to wait for a moment.
    func holds(_ event: LedgerEvent, _ gate: FanOutLimit) -> Bool {
        guard let notification = event.notification else { return false }
        return notification > gate.after
            || (gate.holdsRecovered && notifications[notification]?.origin == .recovered)
    }

    fileprivate func item(_ numbered: MemoryLedger.Numbered, late: Int64? = nil) -> FeedItem {
        FeedItem(
            number: numbered.number, event: numbered.event,
            notification: numbered.event.notification.flatMap { kept($0) }, late: late)
    }

    /// The events about the purchase that are newer than one, the oldest first; of renewals the newest.
    func newer(than late: LedgerEvent) -> [MemoryLedger.Numbered] {
        guard let original = late.originalTransactionID, let record = records[.init(late.scope, original)],
            record.lineage.transactions.first?.type != .consumable
        else { return [] }
        let mentions = record.mentions.filter { $0.signedDate > late.occurredAt }
            .sorted { ($0.signedDate, $0.notification) > ($1.signedDate, $1.notification) }
        let all = numberedEvents
        var found: [MemoryLedger.Numbered] = []
        for mention in mentions where found.count < LedgerEvent.maximumRepeats {
            guard let event = all.first(where: { $0.event.notification == mention.notification }),
                event.event.originalTransactionID?.isExactly(original) ?? false
            else { continue }
            let isRenewal = event.event.type == .subscriptionRenewed
            if isRenewal, found.contains(where: { $0.event.type == .subscriptionRenewed }) { continue }
            found.append(event)
        }
        return found.reversed()
    }
}
