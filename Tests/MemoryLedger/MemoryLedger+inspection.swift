internal import AppStoreModels
internal import Entitlements
package import Foundation
package import Ledger

extension MemoryLedger: InspectionStorage {
    package func timeline(
        of customer: String, in scope: Int64, after position: TimelinePosition, limit: Int
    ) async throws -> [TimelineItem] {
        try read { state in
            let ofAccounts = state.mentionsOfAccounts(of: customer, in: scope).compactMap { state.item(of: $0) }
            let all =
                try state.purchases(ownedBy: customer, in: scope).flatMap {
                    state.items(of: $0.record, $0.ownership, customer)
                }
                + state.originalPurchaseItems(of: customer, in: scope) + state.grantItems(of: customer, in: scope)
                + ofAccounts
            return Array(all.filter { $0.position < position }.sorted { $0.position > $1.position }.prefix(limit))
        }
    }

    package func isNotification(
        _ id: Int64, inTimelineOf customer: String, in scope: Int64
    ) async throws -> Bool {
        try read { state in
            let mentions =
                try state.purchases(ownedBy: customer, in: scope).flatMap {
                    $0.record.mentions(for: customer, $0.ownership)
                } + state.mentionsOfAccounts(of: customer, in: scope)
            return mentions.contains { $0.notification == id }
        }
    }

    package func notifications(
        _ filter: InboxFilter, before id: Int64, limit: Int
    ) async throws -> InboxPage {
        try read { state in
            let about = try filter.originalTransactionID.map { original in
                Set(
                    try filter.scopes.flatMap {
                        try state.readable(original, in: $0)?.mentions.map(\.notification) ?? []
                    })
            }
            // Filters for pending or failed notifications include other texts.
            let others =
                about == nil && [.pending, .failed].contains(filter.state) ? state.otherTexts.keys.map { -$0 } : []
            let numbers = (state.notifications.keys + others).filter { $0 < id && about?.contains($0) ?? true }
            let found = numbers.sorted(by: >).compactMap { state.storedNotification($0) }
                .filter { filter.scopes.contains($0.scope) && filter.accepts($0) }
            let items = Array(found.prefix(limit))
            return InboxPage(items: items, next: found.count > limit ? items.last?.id : nil)
        }
    }

    package func events(ofNotifications ids: [Int64]) async throws -> [Int64: LedgerEvent] {
        try read { state in
            let events = state.events.compactMap { event in event.notification.map { ($0, event) } }
            return Dictionary(events.filter { ids.contains($0.0) }) { first, _ in first }
        }
    }

    package func notification(_ uuid: String) async throws -> StoredNotification? {
        try read { state in state.numbers[ExactText(uuid)].flatMap { state.storedNotification($0) } }
    }

    package func otherTexts(of notification: Int64, limit: Int) async throws -> [StoredNotification] {
        try read { state in
            let numbers = state.otherTexts.filter { $0.value.notification == notification }.keys.sorted()
            return numbers.prefix(limit).compactMap { state.storedNotification(-$0) }
        }
    }

    package func failedNotifications(code: String, in scopes: [Int64], limit: Int) async throws -> [Int64] {
        try read { state in
            let failed = state.failures.filter { $0.value == code }.keys.sorted()
            return Array(
                failed.filter { state.storedNotification($0).map { scopes.contains($0.scope) } ?? false }.prefix(limit))
        }
    }

    package func reprocess(_ notifications: [Int64], at now: Milliseconds) async throws {
        try write { state in
            for notification in notifications where state.storedNotification(notification) != nil {
                state.failures[notification] = nil
                state.inbox[notification] = state.inbox[notification] ?? now
            }
        }
    }

    package func sources(
        of wanted: [FactSelection], notifications: Bool, in scope: Int64
    ) async throws -> [FactText] {
        try read { state in
            let sources = try wanted.flatMap {
                wanted -> [(original: String, kind: StoredSignedFact.Kind, source: FactSource)] in
                let record = try state.readable(wanted.originalTransactionID, in: scope)
                return (record?.sources(of: wanted, notifications: notifications) ?? []).map {
                    (original: wanted.originalTransactionID, kind: $0.kind, source: $0.source)
                }
            }
            let others = state.codesOfOtherTexts(
                ofAny: Set(sources.compactMap(\.source.notification)), limit: FactSelection.maximumOtherTexts)
            return sources.flatMap { original, kind, source in
                state.texts(of: source, kind, others).map { FactText(original, $0) }
            }
        }
    }
}

extension MemoryLedger.State {
    /// The codes (``InboxText``) of the other texts of some notifications, ordered by notification.
    func codesOfOtherTexts(ofAny notifications: Set<Int64>, limit: Int) -> [Int64] {
        otherTexts.filter { notifications.contains($0.value.notification) }
            .sorted { ($0.value.notification, $0.key) < ($1.value.notification, $1.key) }.prefix(limit)
            .map { InboxText.otherText($0.key).code }
    }

    fileprivate func texts(
        of source: FactSource, _ kind: StoredSignedFact.Kind, _ others: [Int64]
    ) -> [StoredSource] {
        switch source {
        case .notification(let number):
            let own = others.filter { code in
                InboxText(code: code).otherText.flatMap { otherTexts[$0] }?.notification == number
            }
            return ([number] + own).compactMap { storedNotification($0) }.map { .notification($0, holding: kind) }
        case .signedFact(let number):
            guard let signedFact = signedFacts[number], signedFact.kind != .receipt else { return [] }
            return [
                .signedFact(
                    StoredSignedFact(
                        kind: kind, origin: signedFact.origin, receivedAt: signedFact.receivedAt, text: signedFact.text)
                )
            ]
        }
    }

    fileprivate func items(
        of record: LineageRecord, _ ownership: Ownership, _ customer: String
    ) -> [TimelineItem] {
        let original = record.lineage.originalTransactionID
        let mentions = record.mentions(for: customer, ownership)
        let changes = ownership.changes(for: customer)
        return mentions.compactMap { item(of: $0, about: original) }
            + changes.map { TimelineItem($0, of: original) }
    }

    /// Returns the notifications about Apple accounts that were signed while the accounts were the customer's.
    fileprivate func mentionsOfAccounts(of customer: String, in scope: Int64) -> [LineageRecord.Mention] {
        accountNotifications.filter { $0.key.scope == scope }.flatMap { key, dates in
            let ownership = ownership(ofAccount: key.name.text, in: scope)
            return dates.map { LineageRecord.Mention(notification: $0.key, signedDate: $0.value) }
                .filter { ownership.customer(at: $0.signedDate)?.isExactly(customer) ?? false }
        }
    }

    /// Returns the entry of a notification. `original` is empty if it is about an Apple account.
    fileprivate func item(of mention: LineageRecord.Mention, about original: String = "") -> TimelineItem? {
        storedNotification(mention.notification).map {
            TimelineItem(
                position: TimelinePosition(mention), originalTransactionID: original, kind: .notification($0))
        }
    }

    fileprivate func originalPurchaseItems(of customer: String, in scope: Int64) -> [TimelineItem] {
        ownedOriginalPurchases(by: customer, in: scope).compactMap { TimelineItem($0, for: customer) }
    }

    fileprivate func grantItems(of customer: String, in scope: Int64) -> [TimelineItem] {
        grants(of: customer, in: scope).flatMap { grant in
            let isDue = endsToEmit[.init(scope, grant.id)] != nil
            return TimelineItem.items(of: grant, hasExpiryEvent: grant.hasExpiryEvent(isDue: isDue))
        }
    }
}

extension MemoryLedger: RefusalStorage {
    package func commit(_ refusals: [Refusal]) async throws {
        try write { state in
            for refusal in refusals {
                state.lastRefusal += state.step
                state.refusals.append(StoredRefusal(id: state.lastRefusal, refusal: refusal))
            }
        }
    }

    package func dropRefusals(beyond limit: RefusalStorageLimit) async throws {
        try write { state in
            let removed = limit.exceeded(by: state.refusals)
            state.refusals.removeAll { removed.contains($0.id) }
        }
    }

    package func refusalCounts(
        from start: Milliseconds, to end: Milliseconds, amongLast depth: Int64
    ) async throws -> [String: Int64] {
        try read { state in
            let times = state.refusals.suffix(Int(clamping: depth)).map(\.refusal)
                .filter { $0.receivedAt >= start && $0.receivedAt < end }
            return Dictionary(grouping: times, by: \.code).mapValues { Int64($0.count) }
        }
    }

    package func refusals(before id: Int64, limit: Int) async throws -> [StoredRefusal] {
        try read { state in
            Array(state.refusals.filter { $0.id < id }.sorted { $0.id > $1.id }.prefix(limit))
        }
    }
}

extension MemoryLedger {
    struct RequestKey: Hashable, Sendable {
        var client: ExactText
        var key: ExactText
    }

    struct Request: Sendable {
        var remembered: IdempotentRequest
        var customer: String?
    }
}

extension MemoryLedger: IdempotencyStorage {
    package func beginRequest(
        _ key: String, of client: String, about customer: String?, fingerprint: Data, at now: Milliseconds,
        lockTimeout: Milliseconds
    ) async throws -> IdempotencyDecision {
        try write { state in
            let requestKey = RequestKey(client: ExactText(client), key: ExactText(key))
            let decision = IdempotencyDecision.of(
                state.requests[requestKey]?.remembered, fingerprint: fingerprint, at: now, lockTimeout: lockTimeout)
            if decision == .proceed {
                state.requests[requestKey] = Request(
                    remembered: IdempotentRequest(fingerprint: fingerprint, startedAt: now), customer: customer)
            }
            return decision
        }
    }

    package func endRequest(
        _ key: String, of client: String, begunAt start: Milliseconds, with response: IdempotentRequest.StoredResponse?
    ) async throws {
        try write { state in
            let requestKey = RequestKey(client: ExactText(client), key: ExactText(key))
            guard let known = state.requests[requestKey]?.remembered, known.startedAt == start else { return }
            if let response {
                state.requests[requestKey]?.remembered.response = response
            } else if known.response == nil {
                state.requests[requestKey] = nil
            }
        }
    }
}

extension MemoryLedger: RetentionStorage {
    package func removeExpired(at now: Milliseconds, limit: Int) async throws -> Int {
        try write { state in
            let ended = state.deliveries.values.filter {
                $0.endedAt.map { $0 < now - WebhookDelivery.retention } ?? false
            }
            let deliveries = ended.map(\.id).prefix(limit)
            for id in deliveries { state.deliveries[id] = nil }
            let begun = state.requests.filter { $0.value.remembered.startedAt < now - IdempotencyDecision.retention }
            let requests = begun.keys.prefix(limit - deliveries.count)
            for key in requests { state.requests[key] = nil }
            let rest = limit - deliveries.count - requests.count
            let entries = AuditEntry.expiredCount(
                state.audit.prefix(rest).map(\.entry.at),
                followedBy: { state.audit.dropFirst(rest).first { $0.entry.at <= now }?.entry.at }, at: now)
            state.audit.removeFirst(entries)
            return deliveries.count + requests.count + entries
        }
    }
}

extension MemoryLedger: HealthStorage {
    package func checkWritable() async throws {}

    package var logBytes: Int? { nil }
}
