import Basics
import Foundation

/// How often a call is retried, and after which pauses.
public struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of requests for one call; 1 or less disables retries. A retry with a new token after status
    /// 401 is not counted: there is one, or one for each former key of the ``APITokenSource``.
    public var maximumAttempts: Int

    /// The delay before the first retry. Each further delay is twice as long. The actual delay is random, between half
    /// of this and the whole.
    public var initialDelay: Duration

    /// The upper limit of these delays.
    public var maximumDelay: Duration

    /// The maximum wait for the instant that the server names with status 429. If that instant is later, the call fails
    /// immediately and the error contains it.
    public var maximumWait: Duration

    /// Creates a policy.
    public init(
        maximumAttempts: Int = 4, initialDelay: Duration = .milliseconds(500), maximumDelay: Duration = .seconds(20),
        maximumWait: Duration = .seconds(60)
    ) {
        self.maximumAttempts = maximumAttempts
        self.initialDelay = initialDelay
        self.maximumDelay = maximumDelay
        self.maximumWait = maximumWait
    }

    /// Never retries, except with a new token.
    public static let never = RetryPolicy(maximumAttempts: 1)
}

/// Decides what follows a failed attempt of a call. A pure value: the time and the random number are arguments.
struct RetryState {
    enum Step: Equatable {
        case retry(after: Duration)
        case retryWithNewToken
        case giveUp
    }

    private let policy: RetryPolicy
    private let isRepeatable: Bool
    private var counted = 0
    private var newTokens: Int

    /// - Parameter newTokens: The number of retries with a new token: with several keys, as many as it takes to use
    ///   each.
    init(_ policy: RetryPolicy, _ idempotency: AppStoreEndpoint.Idempotency, newTokens: Int = 1) {
        self.policy = policy
        self.isRepeatable = idempotency != .notIdempotent
        self.newTokens = newTokens
    }

    /// Returns the next step after a failed attempt.
    ///
    /// - Parameters:
    ///   - error: The failure of the attempt.
    ///   - now: The date, for comparison with the instant that the server named.
    ///   - random: A number from 0 up to but not including 1.
    mutating func step(after error: AppStoreServerError, now: Date, random: Double) -> Step {
        if error.code == .unauthorized {
            guard newTokens > 0 else { return .giveUp }
            newTokens -= 1
            return .retryWithNewToken
        }
        counted += 1
        guard counted < policy.maximumAttempts, error.isRetryable, !Self.isFinal(error) else { return .giveUp }
        // A request that was refused because of the quota was not carried out, so even an unsafe one may be repeated.
        guard error.code == .rateLimited || isRepeatable else { return .giveUp }
        let pause = pause(random)
        guard error.code == .rateLimited, let date = error.retryAfter else { return .retry(after: pause) }
        let seconds = date.timeIntervalSince(now)
        // If the instant is in the past, the server's clock or ours is wrong.
        guard seconds > 0 else { return .retry(after: pause) }
        guard seconds <= policy.maximumWait.clampedToWait.seconds else { return .giveUp }
        // Add the random pause, so that not all waiting calls are sent at the same instant.
        return .retry(after: .seconds(seconds) + pause)
    }

    /// Whether a retry within this call is useless although a later call may succeed, or although the caller has
    /// cancelled.
    private static func isFinal(_ error: AppStoreServerError) -> Bool {
        error.code == .circuitOpen || error.code == .unreachable || error.isCancellation
    }

    private func pause(_ random: Double) -> Duration {
        let limit = policy.maximumDelay.clampedToWait
        var whole = min(max(policy.initialDelay, .zero), limit)
        for _ in 1..<max(counted, 1) where whole < limit { whole = min(whole * 2, limit) }
        let fraction = random >= 0 && random < 1 ? random : 0.5
        return whole / 2 + whole * fraction / 2
    }
}
