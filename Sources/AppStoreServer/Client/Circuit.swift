internal import Basics
import Synchronization

/// When to stop calling a server that does nothing but fail.
public struct CircuitPolicy: Sendable, Hashable {
    /// How many requests have to fail in a row: no answer, or a status of 500 or above.
    public var failures: Int

    /// How long calls then fail at once, before one of them is let through to try.
    public var pause: Duration

    /// Creates a policy.
    public init(failures: Int = 10, pause: Duration = .seconds(30)) {
        self.failures = failures
        self.pause = pause
    }
}

/// Closed: requests go. Open: none goes until the pause is over. Half open: one goes, and decides. Pure: time comes in.
struct CircuitState {
    enum Answer: Equatable {
        /// Go, and report how it went. `isProbe`: everybody else waits for that.
        case go(isProbe: Bool)
        /// Do not go; ask again after this time.
        case refused(Duration)
    }

    private enum State { case closed(failures: Int), open(until: Duration), halfOpen }

    private let policy: CircuitPolicy
    private var state = State.closed(failures: 0)

    init(_ policy: CircuitPolicy) { self.policy = policy }

    /// How long every request would be refused; nil when one may go.
    func pause(at now: Duration) -> Duration? {
        switch state {
        case .closed: nil
        case .open(let end): end > now ? end - now : nil
        case .halfOpen: .zero
        }
    }

    mutating func begin(at now: Duration) -> Answer {
        if let pause = pause(at: now) { return .refused(pause) }
        if case .closed = state { return .go(isProbe: false) }
        state = .halfOpen
        return .go(isProbe: true)
    }

    /// The server answered, whatever it was.
    mutating func succeeded(isProbe: Bool) {
        switch state {
        case .closed: state = .closed(failures: 0)
        case .halfOpen where isProbe: state = .closed(failures: 0)
        // A request from before the circuit opened proves nothing about now.
        case .open, .halfOpen: break
        }
    }

    mutating func failed(isProbe: Bool, at now: Duration) {
        switch state {
        case .closed(let failures):
            state =
                failures + 1 >= policy.failures
                ? .open(until: now + policy.pause) : .closed(failures: failures + 1)
        case .halfOpen where isProbe: state = .open(until: now + policy.pause)
        case .open, .halfOpen: break
        }
    }

    /// The request was cancelled: nobody knows. After a probe the next one to ask is let through.
    mutating func abandoned(isProbe: Bool, at now: Duration) {
        if case .halfOpen = state, isProbe { state = .open(until: now) }
    }
}

/// The circuit that all calls of a client share.
final class Circuit: Sendable {
    private let state: Mutex<CircuitState>
    private let clock: WaitingClock

    init(_ policy: CircuitPolicy, clock: WaitingClock) {
        state = Mutex(CircuitState(policy))
        self.clock = clock
    }

    func pause() -> Duration? { state.withLock { $0.pause(at: clock.now()) } }
    func begin() -> CircuitState.Answer { state.withLock { $0.begin(at: clock.now()) } }
    func succeeded(isProbe: Bool) { state.withLock { $0.succeeded(isProbe: isProbe) } }
    func failed(isProbe: Bool) { state.withLock { $0.failed(isProbe: isProbe, at: clock.now()) } }
    func abandoned(isProbe: Bool) { state.withLock { $0.abandoned(isProbe: isProbe, at: clock.now()) } }
}
