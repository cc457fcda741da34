import Basics
import Foundation

/// How often and after what time a call is repeated by itself.
public struct RetryPolicy: Sendable, Hashable {
    /// How many requests one call may cost; 1 means never to repeat. The one repetition with a new token after status 401
    /// is not counted.
    public var maximumAttempts: Int

    /// The pause before the first repetition; each one after that is twice as long. The real pause lies between half of
    /// this and the whole.
    public var firstPause: Duration

    /// The longest pause by that rule.
    public var maximumPause: Duration

    /// The longest wait for the instant that the server names with status 429. If it lies further off, the call fails at
    /// once and the error names the instant.
    public var maximumWait: Duration

    /// Creates a policy.
    public init(
        maximumAttempts: Int = 4, firstPause: Duration = .milliseconds(500), maximumPause: Duration = .seconds(20),
        maximumWait: Duration = .seconds(60)
    ) {
        self.maximumAttempts = maximumAttempts
        self.firstPause = firstPause
        self.maximumPause = maximumPause
        self.maximumWait = maximumWait
    }

    /// Never to repeat, but for the one time with a new token.
    public static let never = RetryPolicy(maximumAttempts: 1)
}

/// The attempts of one call: what follows on a failure. Pure: the time and the dice come in.
struct Attempts {
    enum Step: Equatable {
        case again(after: Duration)
        case againWithNewToken
        case giveUp
    }

    private let policy: RetryPolicy
    private let isRepeatable: Bool
    private var counted = 0
    private var hasNewToken = false

    init(_ policy: RetryPolicy, _ repetition: AppStoreEndpoint.Repetition) {
        self.policy = policy
        self.isRepeatable = repetition != .unsafe
    }

    /// - Parameters:
    ///   - error: What came of the attempt.
    ///   - now: The date, to compare with the one that the server named.
    ///   - random: A number from 0 to below 1.
    mutating func step(after error: AppStoreServerError, now: Date, random: Double) -> Step {
        if error.code == .unauthorized {
            guard !hasNewToken else { return .giveUp }
            hasNewToken = true
            return .againWithNewToken
        }
        counted += 1
        guard counted < policy.maximumAttempts, error.isRetryable, !Self.isFinal(error) else { return .giveUp }
        // A request refused for the quota was not carried out: it may be repeated, whatever it is.
        guard error.code == .rateLimited || isRepeatable else { return .giveUp }
        let pause = pause(random)
        guard error.code == .rateLimited, let date = error.retryAfter else { return .again(after: pause) }
        let seconds = date.timeIntervalSince(now)
        // In the past, the server or a clock is wrong.
        guard seconds > 0 else { return .again(after: pause) }
        guard seconds <= policy.maximumWait.seconds else { return .giveUp }
        // Not all that wait for the same instant should come back in it.
        return .again(after: .seconds(seconds) + pause)
    }

    /// What may succeed later, but not within the seconds that one call takes; and what nobody waits for any more.
    private static func isFinal(_ error: AppStoreServerError) -> Bool {
        error.code == .circuitOpen || error.code == .unreachable || error.isCancellation
    }

    private func pause(_ random: Double) -> Duration {
        let limit = max(policy.maximumPause, .zero)
        var whole = min(max(policy.firstPause, .zero), limit)
        for _ in 1..<max(counted, 1) where whole < limit { whole = min(whole * 2, limit) }
        let dice = random >= 0 && random < 1 ? random : 0.5
        return whole / 2 + whole * dice / 2
    }
}
