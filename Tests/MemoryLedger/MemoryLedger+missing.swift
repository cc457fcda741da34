internal import AppStoreModels
internal import Foundation
package import Ledger

extension MemoryLedger {
    struct UnverifiedKey: Hashable, Sendable {
        var scope: Int64
        var digest: Data
    }

    /// A part of an App Store response that could not be verified.
    struct Unverified: Sendable {
        var id: Int64
        var item: UnverifiedItem
        var recovery: Int64?
        var from: Milliseconds?
        var until: Milliseconds?
        var noticedAt: Milliseconds
        var history: String?
    }

    struct History: Sendable {
        var revision: String?
        var requestedAt: Milliseconds
    }
}

extension MemoryLedger.State {
    mutating func add(
        _ items: [UnverifiedItem], in scope: Int64, _ window: RecoveryWindow?, history: String? = nil,
        at now: Milliseconds
    ) {
        let known = unverified.keys.count { $0.scope == scope }
        for item in items.prefix(UnverifiedItem.room(beside: known)) {
            let key = MemoryLedger.UnverifiedKey(scope: scope, digest: item.digest)
            lastUnverified += step
            var new = unverified[key] ?? .init(id: lastUnverified, item: item, noticedAt: now)
            (new.item.code, new.item.message, new.history) = (item.code, item.message, history)
            (new.recovery, new.from, new.until) = (window?.recovery, window?.from, window?.until)
            unverified[key] = new
        }
    }

    func missingCounts(in scope: Int64) -> MissingCounts {
        var missing = MissingCounts()
        missing.openWindows = recoveries.values.filter { $0.run.scope == scope && $0.run.state == .open }
            .reduce(0) { $0 + $1.openWindows.count }
        missing.unverified = unverified.keys.count { $0.scope == scope }
        missing.failedNotifications = failures.keys.count { storedNotification($0)?.scope == scope }
        missing.backlog = inbox.keys.count { storedNotification($0)?.scope == scope }
        missing.unverifiedSpans = spans[scope]?.spans.count ?? 0
        let historyRequests = historyRequests.filter { $0.key.scope == scope }.values
        missing.historyRequests = historyRequests.count { !$0.isGivenUp }
        missing.retryingHistoryRequests = historyRequests.count { !$0.isGivenUp && $0.failure != nil }
        missing.failedHistoryRequests = historyRequests.count { $0.isGivenUp }
        missing.isFillingGap = historyPasses[scope].map { $0.staleBefore != nil && $0.finishedAt == nil } ?? false
        return missing
    }
}

extension MemoryLedger {
    package func missingCounts(in scopes: [Int64]) async throws -> [Int64: MissingCounts] {
        try read { state in Dictionary(uniqueKeysWithValues: Set(scopes).map { ($0, state.missingCounts(in: $0)) }) }
    }

    package func hasPendingNotifications(
        in scope: Int64, since span: ClosedRange<Milliseconds>
    ) async throws -> Bool {
        try read { state in
            state.inbox.contains { span.contains($0.value) && state.storedNotification($0.key)?.scope == scope }
        }
    }

    package func missingItems(in scope: Int64) async throws -> MissingItems {
        try read { state in
            var missing = MissingItems()
            let unverified = state.unverified.filter { $0.key.scope == scope }.values.sorted { $0.id > $1.id }
            missing.unverifiedItems = unverified.prefix(MissingItems.maximumCount).map {
                StoredUnverifiedItem(
                    claimedUUID: $0.item.claimedUUID, history: $0.history, code: $0.item.code,
                    message: $0.item.message, noticedAt: $0.noticedAt)
            }
            missing.unverifiedSpans = Array((state.spans[scope]?.spans ?? []).prefix(MissingItems.maximumCount))
            let historyRequests = state.historyRequests.filter { $0.key.scope == scope && $0.value.failure != nil }
                .values
            let waitingFirst = historyRequests.sorted {
                guard $0.isGivenUp == $1.isGivenUp else { return $1.isGivenUp }
                return ($1.addedAt, ExactText($0.transactionID)) < ($0.addedAt, ExactText($1.transactionID))
            }
            missing.historyRequests = Array(waitingFirst.prefix(MissingItems.maximumCount))
            return missing
        }
    }
}

extension MemoryLedger: HistoryRequestStorage {
    package func add(
        requests transactionIDs: [String], in scope: Int64, because reason: HistoryRequest.Reason, at now: Milliseconds
    ) async throws {
        try write { state in
            for id in transactionIDs {
                let key = Key(scope, id)
                state.historyRequests[key] = HistoryRequest.adding(
                    id, in: scope, because: reason, to: state.historyRequests[key], id: state.nextHistoryRequest(),
                    at: now)
            }
        }
    }

    package func dueHistoryRequests(
        in scope: Int64, at now: Milliseconds, limit: Int
    ) async throws -> [HistoryRequest] {
        try read { state in
            let times = LongestDelay.historyRequest.dueTimes(at: now)
            let due = state.historyRequests.values.filter { request in
                request.scope == scope && !request.isGivenUp && times.contains { $0.contains(request.nextAttemptAt) }
            }
            return Array(due.sorted { ($0.nextAttemptAt, $0.id) < ($1.nextAttemptAt, $1.id) }.prefix(limit))
        }
    }

    package func finish(request id: Int64) async throws {
        try write { state in state.historyRequests = state.historyRequests.filter { $0.value.id != id } }
    }

    package func postpone(_ request: HistoryRequest, until next: Milliseconds, code: String) async throws {
        try write { state in
            let key = Key(request.scope, request.transactionID)
            state.historyRequests[key] = request.postponed(
                as: state.historyRequests[key], id: state.nextHistoryRequest(), until: next, code: code)
        }
    }

    package func scheduleRetry(
        of transactionID: String, in scope: Int64, code: String, until next: Milliseconds, at now: Milliseconds
    ) async throws {
        try write { state in
            let key = Key(scope, transactionID)
            let request = HistoryRequest.retrying(
                transactionID, in: scope, known: state.historyRequests[key], id: state.nextHistoryRequest(), code: code,
                until: next, at: now)
            if let request { state.historyRequests[key] = request }
        }
    }

    package func fail(request id: Int64, code: String, at now: Milliseconds) async throws {
        try write { state in state.change(request: id) { ($0.isGivenUp, $0.failure) = (true, code) } }
    }
}

extension MemoryLedger.State {
    /// Returns a row identifier that no history request has or had.
    fileprivate mutating func nextHistoryRequest() -> Int64 {
        lastHistoryRequest += step
        return lastHistoryRequest
    }

    fileprivate mutating func change(request id: Int64, _ body: (inout HistoryRequest) -> Void) {
        for (key, request) in historyRequests where request.id == id {
            var request = request
            body(&request)
            historyRequests[key] = request
        }
    }
}

extension MemoryLedger: HistoryStorage {
    package func historyMark(of transactionIDs: [String], in scope: Int64) async throws -> HistoryMark? {
        try read { state in
            for id in transactionIDs {
                guard let revision = state.histories[Key(scope, id)]?.revision, !revision.isEmpty else { continue }
                return HistoryMark(transactionID: id, revision: revision)
            }
            return nil
        }
    }

    package func record(
        revision: String?, of transactionID: String, in scope: Int64, at now: Milliseconds
    ) async throws {
        try write { $0.record(revision: revision, of: transactionID, in: scope, at: now) }
    }

    package func recordRequest(about originals: [String], in scope: Int64, at now: Milliseconds) async throws {
        try write { state in
            for original in originals { state.record(revision: nil, of: original, in: scope, at: now) }
        }
    }

    package func replaceUnverified(
        with items: [UnverifiedItem], ofHistory transactionID: String, in scope: Int64, at now: Milliseconds
    ) async throws {
        try write { state in
            state.unverified = state.unverified.filter {
                $0.key.scope != scope || !($0.value.history?.isExactly(transactionID) ?? false)
            }
            state.add(items, in: scope, nil, history: transactionID, at: now)
        }
    }

    package func historyPass(in scope: Int64) async throws -> HistoryPass? { try read { $0.historyPasses[scope] } }

    package func record(_ pass: HistoryPass, replacing previous: HistoryPass?) async throws -> Bool {
        try write { state in
            guard state.historyPasses[pass.scope] == previous else { return false }
            state.historyPasses[pass.scope] = pass
            return true
        }
    }

    package func summaries(after original: String, in scope: Int64, limit: Int) async throws -> [LineageSummary] {
        try read { state in
            let after = state.lineages(in: scope).filter { ExactText($0.originalTransactionID) > ExactText(original) }
            return after.prefix(limit).map {
                let original = $0.originalTransactionID
                guard !state.isDamaged(original, in: scope) else { return LineageSummary(damaged: original) }
                return LineageSummary($0, requestedAt: state.histories[Key(scope, original)]?.requestedAt)
            }
        }
    }
}

extension MemoryLedger.State {
    fileprivate mutating func record(
        revision: String?, of transactionID: String, in scope: Int64, at now: Milliseconds
    ) {
        let key = MemoryLedger.Key(scope, transactionID)
        histories[key] = .init(revision: revision ?? histories[key]?.revision, requestedAt: now)
    }
}
