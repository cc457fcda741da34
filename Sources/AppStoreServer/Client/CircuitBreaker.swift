internal import Basics
import Synchronization

/// When to stop calling a server that keeps failing.
public struct CircuitBreakerPolicy: Sendable, Hashable {
    /// The number of consecutive requests that have to fail: no response, or a status from 500 to 599. 1 or less opens
    /// the circuit after the first failure.
    public var failureThreshold: Int

    /// How long calls then fail immediately, before one request is tried.
    public var openDuration: Duration

    /// Creates a policy.
    public init(failureThreshold: Int = 10, openDuration: Duration = .seconds(30)) {
        self.failureThreshold = failureThreshold
        self.openDuration = openDuration
    }
}

/// The state of a circuit breaker. Closed: requests are sent. Open: none is sent until the pause is over. Half open:
/// one probe is sent and decides. A pure value: the time is an argument.
struct CircuitState {
    enum Admission: Equatable {
        /// Send the request and report the result. While a probe is running, all other requests are refused.
        case allowed(isProbe: Bool)
        /// Do not send the request; try again after this time.
        case refused(Duration)
    }

    private enum State { case closed(failures: Int), open(until: Duration), halfOpen }

    private let failureThreshold: Int
    private let openDuration: Duration
    private var state = State.closed(failures: 0)

    init(_ policy: CircuitBreakerPolicy) {
        (failureThreshold, openDuration) = (policy.failureThreshold, policy.openDuration.clampedToWait)
    }

    /// Returns how long all requests will be refused; nil if one may be sent.
    func pause(at now: Duration) -> Duration? {
        switch state {
        case .closed: nil
        case .open(let end): end > now ? end - now : nil
        case .halfOpen: .zero
        }
    }

    mutating func begin(at now: Duration) -> Admission {
        if let pause = pause(at: now) { return .refused(pause) }
        if case .closed = state { return .allowed(isProbe: false) }
        state = .halfOpen
        return .allowed(isProbe: true)
    }

    /// Records that the server responded, with any status except 5xx.
    mutating func recordSuccess(isProbe: Bool) {
        switch state {
        case .closed: state = .closed(failures: 0)
        case .halfOpen where isProbe: state = .closed(failures: 0)
        // A request that began before the circuit opened says nothing about the present.
        case .open, .halfOpen: break
        }
    }

    mutating func recordFailure(isProbe: Bool, at now: Duration) {
        switch state {
        case .closed(let failures):
            state =
                failures + 1 >= failureThreshold
                ? .open(until: now + openDuration) : .closed(failures: failures + 1)
        case .halfOpen where isProbe: state = .open(until: now + openDuration)
        case .open, .halfOpen: break
        }
    }

    /// Records that a request was cancelled, so that its outcome is unknown. After a cancelled probe, the next request
    /// becomes the probe.
    mutating func recordCancellation(isProbe: Bool, at now: Duration) {
        if case .halfOpen = state, isProbe { state = .open(until: now) }
    }
}

/// The circuit breaker that all calls of a client share.
final class CircuitBreaker: Sendable {
    private let state: Mutex<CircuitState>
    private let clock: AnyClock

    init(_ policy: CircuitBreakerPolicy, clock: AnyClock) {
        state = Mutex(CircuitState(policy))
        self.clock = clock
    }

    func pause() -> Duration? { state.withLock { $0.pause(at: clock.now()) } }
    func begin() -> CircuitState.Admission { state.withLock { $0.begin(at: clock.now()) } }
    func record(isFailure: Bool, isProbe: Bool) {
        state.withLock {
            if isFailure {
                $0.recordFailure(isProbe: isProbe, at: clock.now())
            } else {
                $0.recordSuccess(isProbe: isProbe)
            }
        }
    }
    func recordCancellation(isProbe: Bool) {
        state.withLock { $0.recordCancellation(isProbe: isProbe, at: clock.now()) }
    }
}
