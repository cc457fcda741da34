internal import Basics
package import Foundation
package import Synchronization
internal import WebConsole

/// A simulated App Store without its HTTP side: the state, who signs, who carries notifications, and what makes time pass.
package final class SimulatorCore: Sendable {
    package let configuration: SimulatorConfiguration
    package let authority: StoreAuthority
    package let bearer: BearerCheck
    private let counted = Mutex(RateLimits())
    package let ocsp: Mutex<OCSPService>
    let state: Mutex<SimulatorState>
    let courier = Courier()
    let signedTexts = SignedTextCache()
    /// The pages that are open.
    let pages = EventHub()
    /// Those who wait for what devices are told, and for pages.
    let watch: ChangeWatch
    /// How the clock is put forward in the background.
    let advances = AdvanceJobs()
    /// One task at a time makes time pass.
    private let gate = FairGate()
    /// One scenario at a time runs.
    let scenarioGate = FairGate()
    /// One task at a time sends performance tests.
    let performanceGate = FairGate()

    package init(
        _ configuration: SimulatorConfiguration, authority: StoreAuthority, bearer: BearerCheck, real: Date
    ) {
        watch = ChangeWatch(pages)
        self.configuration = configuration
        self.authority = authority
        self.bearer = bearer
        ocsp = Mutex(OCSPService(authority))
        state = Mutex(SimulatorState(configuration, real: real))
    }

    /// The requests of the hour.
    package var limits: RateLimits { counted.withLock { $0 } }

    /// What the simulator's clock shows.
    package var now: Date { state.withLock { $0.clock.now() } }

    /// Lets everything happen until the time that the clock shows, or until `target`, and returns when every notification
    /// that was due has been sent once. Where `mayGoOn` says no, nothing more happens, and what is under way ends.
    package func run(
        until target: Date? = nil, while mayGoOn: @Sendable () -> Bool = { true }
    ) async throws(CancellationError) {
        try await runPerformanceTests()
        do { try await gate.enter() } catch { throw CancellationError() }
        defer { gate.leave() }
        await withTaskGroup(of: Int.self) { group in
            var underway: [Int: Date] = [:]
            var lastKey = 0
            while !Task.isCancelled {
                // A receiver that does not answer is told again an hour later: nobody may be further ahead than that.
                let limit = underway.values.min().map { $0 + RetrySchedule.soonest }
                let step: SimulatorState.Step =
                    mayGoOn() ? state.withLock { $0.step(until: target ?? $0.clock.now(), limit: limit) } : .done
                switch step {
                case .happened:
                    watch.signal()
                    continue
                case .send(let attempt):
                    lastKey += 1
                    let key = lastKey
                    underway[key] = attempt.date
                    group.addTask {
                        await self.send(attempt)
                        return key
                    }
                    guard underway.count >= Self.mostUnderway else { continue }
                case .wait: break
                case .done: if underway.isEmpty { return }
                }
                if let key = await group.next() { underway[key] = nil }
            }
        }
        if Task.isCancelled { throw CancellationError() }
    }

    /// How many notifications are under way at once.
    private static let mostUnderway = 32

    /// The whole state, while no notification is on its way.
    package func wholeState() async throws(CancellationError) -> SimulatorState {
        do { try await gate.enter() } catch { throw CancellationError() }
        defer { gate.leave() }
        return state.withLock { state in
            state.clock.hold()
            return state
        }
    }

    /// Puts another state in the place of this one. Nothing is under way meanwhile.
    /// `keep` takes over what is to stay.
    package func replace(
        with new: SimulatorState, keeping keep: @Sendable (inout SimulatorState, SimulatorState) -> Void = { _, _ in }
    ) async throws(CancellationError) {
        do { try await performanceGate.enter() } catch { throw CancellationError() }
        defer { performanceGate.leave() }
        do { try await gate.enter() } catch { throw CancellationError() }
        defer { gate.leave() }
        state.withLock { state in
            let epoch = state.epoch + 1
            var new = new
            keep(&new, state)
            state = new
            state.epoch = epoch
            state.clock = new.clock.resumed(as: configuration.clock)
        }
        // Nobody has asked anything of the new state yet.
        counted.withLock { $0 = RateLimits() }
        watch.signal()
    }

    /// When something happens or is sent next by itself.
    package var next: Date? { state.withLock { $0.next } }
}
