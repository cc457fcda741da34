internal import Basics
internal import Ledger
internal import Logging
internal import ServiceLifecycle

extension Recovery: Service {
    /// Recovers missing notifications at the start, on a schedule, and when a late notification indicates an outage.
    package func run() async throws { await cancelWhenGracefulShutdown { await self.runLoops() } }

    /// The time between two checks for work.
    private static let pollInterval = Duration.seconds(1)
    /// The maximum time for histories before notifications are recovered again.
    private static let longestHistoryRun = Duration.seconds(20)

    /// Runs the loops of all scopes until the task is cancelled. Interrupted work continues after the next start.
    private func runLoops() async {
        await withTaskGroup(of: Void.self) { group in
            for appEnvironment in recoverable { group.addTask { await self.recoverContinuously(appEnvironment) } }
            // Also for scopes without an API key: their requests are postponed with that reason.
            for appEnvironment in scopes.all {
                group.addTask { await self.runHistoryRequestsContinuously(in: appEnvironment) }
            }
        }
    }

    private func recoverContinuously(_ appEnvironment: AppEnvironment) async {
        var last: Milliseconds?
        var isFirst = true
        // Whether a pass that was due has not succeeded yet. A pass that was due because the clock was set back stays due
        // when the clock is right again: what it planned ends at the wrong time.
        var isOverdue = false
        var passFailures = Failures()
        while await waitUnlessCancelled(isFirst ? .zero : Self.pollInterval) {
            if isPausing(appEnvironment) { continue }
            let requested = takeRequestedCause(in: appEnvironment.id)
            let isDue = settings.isEnabled && (isOverdue || isDue(after: last))
            let hasWork = requested != nil || isDue || isFirst || failures(in: appEnvironment.id) != nil
            // A recovery that a user requested is already stored as open.
            let cause = isDue ? (last == nil ? .start : .schedule) : requested == .outage ? requested : nil
            (isFirst, isOverdue) = (false, isDue)
            // Recorded before the pass: if the clock jumps meanwhile, the next pass is due again.
            let start = now
            do {
                if hasWork { try await runPass(appEnvironment, because: cause) }
                if isDue { (last, isOverdue) = (start, false) }
                if settings.isEnabled { try await continueHistoryPass(appEnvironment, &passFailures) }
            } catch {
                // Record the failure. The next attempt follows after a pause.
                if !Task.isCancelled { recordIfNew(error, in: appEnvironment) }
            }
        }
    }

    /// Continues the history pass for up to `longestHistoryRun`. Its failures have their own growing pauses, because a
    /// successful recovery of notifications resets the other ones.
    private func continueHistoryPass(_ appEnvironment: AppEnvironment, _ failures: inout Failures) async throws {
        if let pause = failures.pause, !clock.isOver(pause) { return }
        let end = ContinuousClock.now + Self.longestHistoryRun
        do {
            while try await continueHistoryPass(appEnvironment, pages: 1), ContinuousClock.now < end {
                failures = Failures()
            }
            failures = Failures()
        } catch {
            failures.add(error, clock)
            throw error
        }
    }

    private func isDue(after last: Milliseconds?) -> Bool {
        guard let last else { return true }
        return now < last || now - last >= Milliseconds(settings.interval.seconds * 1000)
    }

    /// Runs the history requests of a scope, with growing pauses after failures. Each scope has its own loop, because
    /// each has its own rate limit, and a failing scope, for example with a revoked key, must not delay the others.
    private func runHistoryRequestsContinuously(in appEnvironment: AppEnvironment) async {
        var failures = Failures()
        while await waitUnlessCancelled(Self.pollInterval) {
            if let pause = failures.pause, !clock.isOver(pause) { continue }
            do {
                while try await runNextHistoryRequests(in: appEnvironment) { failures = Failures() }
                failures = Failures()
            } catch {
                if Task.isCancelled { return }
                let isNews = failures.add(error, clock)
                logger.log(
                    level: isNews ? .warning : .debug, "histories could not be fetched",
                    metadata: appEnvironment.logMetadata(["reason": "\(error.logReason)"]))
            }
        }
    }

    /// Waits. Returns false if the task is cancelled.
    private func waitUnlessCancelled(_ pause: Duration) async -> Bool {
        do {
            try await clock.wait(for: pause)
            return true
        } catch { return false }
    }
}
