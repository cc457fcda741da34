internal import Basics
package import Foundation
package import Synchronization
internal import WebConsole

/// A simulated App Store without its HTTP interface: state, certificate authority, notification delivery and clock.
package final class SimulatorCore: Sendable {
    package let configuration: SimulatorConfiguration
    package let authority: StoreAuthority
    package let bearer: BearerCheck
    /// The counts of API requests in the current hour.
    package let limits = RateLimits()
    package let ocsp: Mutex<OCSPService>
    let state: Mutex<SimulatorState>
    let developerServer = DeveloperServerClient()
    let signedTexts = SignedTextCache()
    /// Whether the certificates for receipts are in the folder. Locked while certificates are written.
    let hasReceiptCertificates = Mutex(false)
    /// The events for open pages.
    let pages = EventHub()
    /// Notifies tasks that wait for device updates, and open pages.
    let watch: ChangeWatch
    /// The background jobs that advance the clock.
    let advances = AdvanceJobs()
    /// Admits one task at a time that processes events.
    private let lock = AsyncLock()
    /// Admits one scenario at a time.
    let scenarioLock = AsyncLock()
    /// Admits one task at a time that sends performance tests.
    let performanceLock = AsyncLock()

    package init(_ configuration: SimulatorConfiguration, authority: StoreAuthority, bearer: BearerCheck, real: Date) {
        watch = ChangeWatch(pages)
        self.configuration = configuration
        self.authority = authority
        self.bearer = bearer
        ocsp = Mutex(OCSPService(authority))
        state = Mutex(SimulatorState(configuration, real: real))
    }

    /// The time of the simulator's clock.
    package var now: Date { state.withLock { $0.clock.now() } }

    /// Processes all events until the current simulated time, or until `target`, and returns when every notification
    /// that was due has been sent once. If `shouldContinue` returns false, processes no further event and waits for the
    /// sends in flight.
    package func run(
        until target: Date? = nil, while shouldContinue: @Sendable () -> Bool = { true }
    ) async throws(CancellationError) {
        try await runPerformanceTests()
        try await lock.lock()
        defer { lock.unlock() }
        await withTaskGroup(of: Int.self) { group in
            var inFlight: [Int: Date] = [:]
            var lastKey = 0
            while !Task.isCancelled {
                // A notification without a response is sent again an hour later. Time must not pass that point before
                // the result of the attempt is known.
                let limit = inFlight.values.min().map { $0 + RetrySchedule.minimumDelay }
                let step: SimulatorState.Step =
                    shouldContinue() ? state.withLock { $0.step(until: target ?? $0.clock.now(), limit: limit) } : .done
                switch step {
                case .happened:
                    watch.signal()
                    continue
                case .send(let attempt):
                    lastKey += 1
                    let key = lastKey
                    inFlight[key] = attempt.date
                    group.addTask {
                        await self.send(attempt)
                        return key
                    }
                    guard inFlight.count >= Self.maximumConcurrentSends else { continue }
                case .wait: break
                case .done: if inFlight.isEmpty { return }
                }
                if let key = await group.next() { inFlight[key] = nil }
            }
        }
        if Task.isCancelled { throw CancellationError() }
    }

    /// The maximum number of notifications that are sent concurrently.
    private static let maximumConcurrentSends = 32

    /// Returns the whole state at a moment when no notification is in flight.
    package func quiescentState() async throws(CancellationError) -> SimulatorState {
        try await lock.lock()
        defer { lock.unlock() }
        return state.withLock { state in
            state.clock.recordTime()
            return state
        }
    }

    /// Replaces the state at a moment when no notification is in flight. `keep` copies values from the old state (its
    /// second argument) to the new one.
    package func replace(
        with new: SimulatorState, keeping keep: @Sendable (inout SimulatorState, SimulatorState) -> Void = { _, _ in }
    ) async throws(CancellationError) {
        try await performanceLock.lock()
        defer { performanceLock.unlock() }
        try await lock.lock()
        defer { lock.unlock() }
        state.withLock { state in
            let epoch = state.epoch + 1
            var new = new
            keep(&new, state)
            state = new
            state.epoch = epoch
            state.clock = new.clock.resumed(as: configuration.clock)
        }
        // The new state has received no API requests yet.
        limits.reset()
        watch.signal()
    }

    /// The time of the next scheduled event or delivery.
    package var next: Date? { state.withLock { $0.next } }
}
