internal import Basics
internal import Ledger
internal import Foundation
internal import ServiceLifecycle
internal import Logging

extension Recovery: Service {
    /// Closes gaps by itself: at start, on a schedule, and when a notification betrays an outage.
    package func run() async throws { await cancelWhenGracefulShutdown { await self.work() } }

    /// How often it is looked whether there is something to do.
    private static let tick = Duration.seconds(1)
    /// For how long customers are asked about before notifications are looked after again.
    private static let longestGo = Duration.seconds(20)

    /// Works until the task is cancelled. What is under way then goes on at the next start.
    private func work() async {
        await withTaskGroup(of: Void.self) { group in
            for scope in recoverable { group.addTask { await self.work(on: scope) } }
            // Also where nobody can be asked: then each request says why it waits.
            for scope in scopes.all { group.addTask { await self.workOnHistoryRequests(in: scope) } }
        }
    }

    private func work(on scope: Scope) async {
        var last: Milliseconds?
        var isFirst = true
        var passTrouble = Trouble()
        while await rest(isFirst ? .zero : Self.tick) {
            if isPausing(scope) { continue }
            let requested = takeRequestedCause(in: scope.id)
            let isDue = settings.isEnabled && isDue(after: last)
            let hasWork = requested != nil || isDue || isFirst || trouble(in: scope.id) != nil
            // What somebody asked for by hand is open already.
            let cause = isDue ? (last == nil ? .start : .schedule) : requested == .outage ? requested : nil
            isFirst = false
            // While it is read the clock may jump, and then it is due again.
            let start = now
            do {
                if hasWork { try await pass(scope, because: cause) }
                if isDue { last = start }
                if settings.isEnabled { try await continuePass(scope, &passTrouble) }
            } catch {
                // It is noted, and tried again when some time has passed.
                if !Task.isCancelled { recordIfNew(error, in: scope) }
            }
        }
    }

    /// Goes on with the pass, with pauses of its own that grow: a page that succeeds in between ends every other trouble.
    private func continuePass(_ scope: Scope, _ trouble: inout Trouble) async throws {
        if let pause = trouble.pause, !clock.isOver(pause) { return }
        let end = ContinuousClock.now + Self.longestGo
        do {
            while try await continuePass(scope, pages: 1), ContinuousClock.now < end { trouble = Trouble() }
            trouble = Trouble()
        } catch {
            trouble.add(error, clock)
            throw error
        }
    }

    private func isDue(after last: Milliseconds?) -> Bool {
        guard let last else { return true }
        return now < last || now - last >= Milliseconds(settings.interval.seconds * 1000)
    }

    /// Asks for the histories of a scope, with pauses that grow. No scope waits for another: each has its own quota,
    /// and one that fails, as one whose key was revoked, pauses alone.
    private func workOnHistoryRequests(in scope: Scope) async {
        var trouble = Trouble()
        while await rest(Self.tick) {
            if let pause = trouble.pause, !clock.isOver(pause) { continue }
            do {
                while try await runSomeHistoryRequests(in: scope) { trouble = Trouble() }
                trouble = Trouble()
            } catch {
                if Task.isCancelled { return }
                logger.warning(
                    "histories could not be asked for",
                    metadata: ["app": "\(scope.bundleID)", "reason": "\(error.logReason)"])
                trouble.add(error, clock)
            }
        }
    }

    /// Waits; false when it is time to end.
    private func rest(_ pause: Duration) async -> Bool {
        do {
            try await clock.wait(for: pause)
            return true
        } catch { return false }
    }
}
