internal import Ledger
internal import Synchronization

extension WebhookDispatcher {
    /// The time after which events held back by ``FanOutGate`` are checked again.
    private static let heldEventDelay = Duration.milliseconds(50)

    /// Runs one batch of an endpoint job. Returns false if there is none.
    func runJobs() async throws -> Bool {
        let mayHaveSome = state.withLock { state in
            defer { state.hasJobs = false }
            return state.hasJobs
        }
        guard mayHaveSome else { return false }
        var isDone = false
        // A failed job is tried again.
        defer { if !isDone { state.withLock { $0.hasJobs = true } } }
        isDone = try await !storage.runWebhookJob(limit: Self.batch, at: now)
        if !isDone { wake() }
        return !isDone
    }

    /// Creates deliveries from new events. Returns false if there are no more events.
    func fanOut(to endpoints: [Int64], _ group: inout DiscardingTaskGroup) async throws -> Bool {
        // Without webhooks, a query after each commit would be wasted.
        guard !endpoints.isEmpty else { return false }
        guard let status = try await storage.status(for: endpoints) else {
            // A last batch of full size was recorded as `.more`.
            state.withLock { $0.gate.record(.done, at: .now) }
            return false
        }
        let gate = state.withLock { $0.gate.limit(status, at: .now) }
        let progress: FanOutProgress
        do {
            progress = try await storage.fanOut(
                to: endpoints, by: { [self] stored in definition(of: stored).map { target(stored.id, $0) } },
                within: gate, limit: Self.batch, at: now)
        } catch {
            // Deliveries may have been created for the endpoints before the one that failed.
            state.withLock { $0.hasUnreleased = true }
            throw error
        }
        state.withLock { state in
            state.gate.record(progress, at: .now)
            if progress == .more { state.hasUnreleased = true }
        }
        switch progress {
        case .done: return false
        case .held: scheduleWakeup(in: Self.heldEventDelay, &group)
        case .more: wake()
        }
        return true
    }

    /// Makes deliveries due that were created while the dispatcher was catching up. Returns false if there are none.
    func releaseDeliveries(to endpoints: [Int64]) async throws -> Bool {
        let mayHaveSome = state.withLock { state in
            guard state.hasUnreleased, !state.gate.isCatchingUp(at: .now) else { return false }
            state.hasUnreleased = false
            return true
        }
        guard mayHaveSome else { return false }
        var isDone = false
        // A failed release is tried again.
        defer { if !isDone { state.withLock { $0.hasUnreleased = true } } }
        isDone = try await !storage.releaseDeliveries(to: endpoints, limit: Self.batch, at: now)
        if !isDone { wake() }
        return !isDone
    }

    /// Releases the deliveries that a replay created, in the next pass.
    func scheduleRelease() {
        state.withLock { $0.hasUnreleased = true }
        wake()
    }
}
