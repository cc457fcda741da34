internal import AppStoreModels
internal import Foundation
package import Ledger

extension MemoryLedger {
    struct Recovery: Sendable {
        var run: RecoveryRun
        var windows: [Window] = []

        var openWindows: [Window] { windows.filter { !$0.isDone } }
        /// The run with the number of its open windows.
        var summary: RecoveryRun {
            var run = run
            run.openWindows = openWindows.count
            return run
        }
    }

    struct Window: Sendable {
        var window: RecoveryWindow
        var isDone = false
        var unverified = 0
    }
}

extension MemoryLedger: RecoveryStorage {
    package func completenessMarks() async throws -> [CompletenessMark] {
        try read { state in state.marks.values.sorted { $0.scope < $1.scope } }
    }

    package func begin(_ plan: RecoveryPlan, at now: Milliseconds) async throws -> Int64 {
        try write { state in
            state.lastRecovery += state.step
            let id = state.lastRecovery
            let run = RecoveryRun(
                id: id, scope: plan.scope, cause: plan.cause, from: plan.from, until: plan.until,
                filters: plan.filters, movesMark: plan.movesMark, state: .open, createdAt: now,
                counts: RecoveryCounts(), windows: plan.windows.count, openWindows: plan.windows.count)
            var recovery = Recovery(run: run)
            for var window in plan.windows {
                state.lastWindow += state.step
                (window.id, window.recovery, window.token) = (state.lastWindow, id, nil)
                recovery.windows.append(Window(window: window))
            }
            state.recoveries[id] = recovery
            return id
        }
    }

    package func openRecoveries(in scopes: [Int64]) async throws -> [RecoveryRun] {
        try read { state in
            state.recoveries.values.map(\.summary).filter { scopes.contains($0.scope) && $0.state == .open }
                .sorted { $0.id < $1.id }
        }
    }

    package func openWindows(of recovery: Int64) async throws -> [RecoveryWindow] {
        try read { state in
            (state.recoveries[recovery]?.openWindows ?? []).map(\.window)
                .sorted { ($0.stage, $0.id) < ($1.stage, $1.id) }
        }
    }

    package func windows(
        of recovery: Int64, limit: Int
    ) async throws -> [(window: RecoveryWindow, isDone: Bool)] {
        try read { state in
            let windows = state.recoveries[recovery]?.windows ?? []
            return windows.map { ($0.window, $0.isDone) }
                .sorted { ($0.0.stage, $0.0.id) < ($1.0.stage, $1.0.id) }.prefix(limit).map {
                    (window: $0.0, isDone: $0.1)
                }
        }
    }

    package func record(_ page: PageOutcome, of window: RecoveryWindow, at now: Milliseconds) async throws {
        try write { state in
            let stored = state.recoveries[window.recovery]?.openWindows.first { $0.window.id == window.id }
            guard let stored, stored.window.token.map({ ExactText($0) }) == window.token.map({ ExactText($0) }) else {
                return
            }
            state.change(window.id) {
                ($0.window.token, $0.isDone) = (page.next, page.isLast)
                $0.unverified += page.unverified.count
            }
            if var run = state.recoveries[window.recovery]?.run {
                run.counts.pages += page.counts.pages
                run.counts.found += page.counts.found
                run.counts.new += page.counts.new
                run.counts.duplicates += page.counts.duplicates
                run.counts.failed += page.counts.failed
                run.signedUntil = [run.signedUntil, page.signedUntil].compactMap(\.self).max()
                state.recoveries[window.recovery]?.run = run
                state.add(page.unverified, in: run.scope, window, at: now)
            }
        }
    }

    package func restart(window: RecoveryWindow) async throws {
        try write { state in state.change(window.id) { ($0.window.token, $0.unverified) = (nil, 0) } }
    }

    package func clip(window: RecoveryWindow, to limit: Milliseconds) async throws {
        try write { state in
            let open = state.recoveries[window.recovery]?.openWindows ?? []
            guard open.contains(where: { $0.window.id == window.id }) else { return }
            state.change(window.id) {
                $0.isDone = !$0.window.clip(to: limit)
                $0.unverified = 0
            }
            state.recoveries[window.recovery]?.run.clip(to: limit)
        }
    }

    package func skip(window: RecoveryWindow) async throws {
        try write { state in state.change(window.id) { $0.isDone = true } }
    }

    package func finish(
        recovery id: Int64, until: Milliseconds, limit: Milliseconds, at now: Milliseconds
    ) async throws -> CompletenessMark? {
        try write { state in
            guard var recovery = state.recoveries[id], recovery.openWindows.isEmpty else {
                throw StorageError(.failed, "a recovery cannot end while windows are open")
            }
            let scope = recovery.run.scope
            guard recovery.run.state == .open else { return state.marks[scope] }
            let windows = recovery.windows.compactMap {
                UnverifiedSpans.ReadWindow(
                    from: $0.window.from, until: $0.window.until, unverified: Int64($0.unverified),
                    isWhole: $0.window.filter == nil, onlyFailures: $0.window.onlyFailures)
            }
            let end = recovery.run.end(
                from: state.marks[scope], state.spans[scope] ?? UnverifiedSpans(), reading: windows, until: until,
                limit: limit, at: now)
            (state.marks[scope], state.spans[scope]) = (end.mark, end.spans)
            if let pass = end.pass { state.historyPasses[scope] = pass }
            recovery.windows = []
            (recovery.run.state, recovery.run.finishedAt, recovery.run.failure) = (.done, now, nil)
            state.recoveries[id] = recovery
            let runs = state.recoveries.values.map(\.run).filter { $0.scope == scope }
                .map { (id: $0.id, isOpen: $0.state == .open) }
            for expired in RecoveryRun.expired(runs, atEndOf: id) { state.recoveries[expired] = nil }
            state.removeResolved(in: scope)
            return end.mark
        }
    }

    package func unverifiedSpans(in scope: Int64) async throws -> UnverifiedSpans {
        try read { $0.spans[scope] ?? UnverifiedSpans() }
    }

    package func record(failure: String, of recovery: Int64, isGivenUp: Bool, at now: Milliseconds) async throws {
        try write { state in
            guard state.recoveries[recovery]?.run.state == .open else { return }
            state.recoveries[recovery]?.run.failure = failure
            guard isGivenUp else { return }
            state.recoveries[recovery]?.run.state = .failed
            state.recoveries[recovery]?.run.finishedAt = now
            state.recoveries[recovery]?.windows = []
        }
    }

    package func recovery(_ id: Int64) async throws -> RecoveryRun? { try read { $0.recoveries[id]?.summary } }

    package func recoveries(in scopes: [Int64], before id: Int64?, limit: Int) async throws -> [RecoveryRun] {
        try read { state in
            let all = state.recoveries.values.map(\.summary).filter { scopes.contains($0.scope) && $0.id < id ?? .max }
            return Array(all.sorted { $0.id > $1.id }.prefix(limit))
        }
    }
}

extension MemoryLedger.State {
    /// Changes a window that is open.
    fileprivate mutating func change(_ window: Int64, _ body: (inout MemoryLedger.Window) -> Void) {
        for (id, recovery) in recoveries {
            let place = recovery.windows.firstIndex { $0.window.id == window && !$0.isDone }
            guard let index = place else { continue }
            var window = recovery.windows[index]
            body(&window)
            recoveries[id]?.windows[index] = window
        }
    }

    /// Removes unverified items that have arrived since, or whose period was read again and verified.
    fileprivate mutating func removeResolved(in scope: Int64) {
        let spans = spans[scope] ?? UnverifiedSpans()
        unverified = unverified.filter { key, failure in
            guard key.scope == scope else { return true }
            let number = failure.item.claimedUUID.flatMap { numbers[ExactText($0)] }
            let span = failure.from.flatMap { from in
                failure.until.map { UnverifiedSpans.Span(from: from, until: $0) }
            }
            return UnverifiedItem.isMissing(
                hasArrived: number.map { notifications[$0]?.scope == scope } ?? false, history: failure.history,
                span: span, in: spans)
        }
    }
}
