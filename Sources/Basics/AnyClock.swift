/// A type-erased clock with the operations needed for waiting: the time since its creation, and a cancellable sleep.
package struct AnyClock: Sendable {
    package let now: @Sendable () -> Duration
    package let sleep: @Sendable (Duration) async throws -> Void

    package init(_ clock: some Clock<Duration>) {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
    }
}
