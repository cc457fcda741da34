internal import Ledger
internal import Synchronization

extension WebhookDispatcher {
    /// Schedules a wakeup for the next delivery to one of these endpoints, in one to five seconds.
    func scheduleWakeup(for endpoints: [Int64], _ group: inout DiscardingTaskGroup) async throws {
        guard !endpoints.isEmpty else { return }
        // New events wake the dispatcher. A check every five seconds finds those for which the wakeup was missed.
        var pause = 5.0
        let now = now
        if let next = try await storage.nextDelivery(to: endpoints, after: now) {
            // In a damaged ledger, the instant may be at the limit of integers.
            pause = min(pause, max(1, (Double(next) - Double(now)) / 1000))
        }
        scheduleWakeup(in: .seconds(pause), &group)
    }

    func scheduleWakeup(in pause: Duration, _ group: inout DiscardingTaskGroup) {
        let instant = ContinuousClock.now + pause
        let isEarlier = state.withLock { state in
            if let nextWakeup = state.nextWakeup, nextWakeup <= instant { return false }
            state.nextWakeup = instant
            return true
        }
        guard isEarlier else { return }
        group.addTask {
            do { try await self.clock.wait(for: pause) } catch { return }
            self.state.withLock { if $0.nextWakeup == instant { $0.nextWakeup = nil } }
            self.wake()
        }
    }

    /// Starts the timer that ends ``run()`` after a shutdown began. Later calls do nothing.
    func startDraining(_ group: inout DiscardingTaskGroup) {
        let isFirst = state.withLock { state in
            defer { state.isDraining = true }
            return !state.isDraining
        }
        guard isFirst else { return }
        group.addTask {
            do { try await Task.sleep(for: self.drainTimeout) } catch { return }
            self.state.withLock { $0.isOver = true }
            self.wake()
        }
    }
}
