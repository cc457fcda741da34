/// A type-erased clock with the operations needed for waiting: the time since its creation, and a cancellable sleep.
package struct WaitingClock: Sendable {
    package let now: @Sendable () -> Duration
    package let sleep: @Sendable (Duration) async throws -> Void

    package init(_ clock: any Clock<Duration>) { self = Self.reduced(clock) }

    private init(now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        self.now = now
        self.sleep = sleep
    }

    private static func reduced<C: Clock<Duration>>(_ clock: C) -> Self {
        let start = clock.now
        return Self(now: { start.duration(to: clock.now) }, sleep: { try await clock.sleep(for: $0) })
    }
}
