internal import Basics
import Synchronization

/// A group of endpoints that share a quota. Apple's page: *Identifying rate limits*.
///
/// Apple states requests per second for each app, and enforces them over an hour.
public struct RateClass: Sendable, Hashable {
    /// The name: the API and the number of requests per second.
    public let name: String

    /// Requests per second in production. The sandbox has a tenth.
    public let perSecond: Int

    private init(_ name: String, _ perSecond: Int) {
        self.name = name
        self.perSecond = perSecond
    }

    /// App Store Server API: most endpoints.
    public static let server50 = RateClass("server-50", 50)
    /// App Store Server API: changes to purchases.
    public static let server20 = RateClass("server-20", 20)
    /// App Store Server API: orders and refunds.
    public static let server10 = RateClass("server-10", 10)
    /// App Store Server API: test notifications, and extensions for all subscribers.
    public static let server1 = RateClass("server-1", 1)
    /// App Store Server API: Apple documents no quota, so the lowest one of the API is assumed.
    public static let unlisted = RateClass("server-unlisted", 1)
    /// Retention Messaging API: default messages.
    public static let retention10 = RateClass("retention-10", 10)
    /// Retention Messaging API: all other endpoints.
    public static let retention1 = RateClass("retention-1", 1)
    /// Advanced Commerce API: changes.
    public static let advancedCommerce50 = RateClass("advanced-commerce-50", 50)
    /// Advanced Commerce API: cancellations, refunds, revocations.
    public static let advancedCommerce5 = RateClass("advanced-commerce-5", 5)

    static let all: [RateClass] = [
        server50, server20, server10, server1, unlisted, retention10, retention1, advancedCommerce50, advancedCommerce5,
    ]
}

/// The fraction of Apple's quotas that one client uses, and the size of bursts.
public struct RatePolicy: Sendable, Hashable {
    /// The fraction of each quota to use, from 0.001 to 1. Use less than 1 if several processes call for one app.
    /// Smaller positive values count as 0.001, all other values as 1.
    public var quotaFraction: Double

    /// The number of requests that may be sent at once after an idle time, expressed as the time in which the quota
    /// allows as many; up to half an hour. In every hour the total stays within Apple's quota, and one request is
    /// always possible.
    public var burst: Duration

    /// Creates a policy.
    public init(quotaFraction: Double = 1, burst: Duration = .seconds(60)) {
        self.quotaFraction = quotaFraction
        self.burst = burst
    }

    /// Returns the schedule of a rate class: the average interval between requests, and the size of a burst.
    func schedule(for rateClass: RateClass, isSandbox: Bool) -> RateSchedule {
        let fraction = quotaFraction > 0 && quotaFraction <= 1 ? max(quotaFraction, 0.001) : 1
        let perSecond = Double(rateClass.perSecond) * fraction * (isSandbox ? 0.1 : 1)
        let burst = min(burst.clampedToWait.seconds, 1800)
        // Reserve the requests of the burst: the rest of the hour has fewer.
        return RateSchedule(
            interval: .seconds(1 / (perSecond * (1 - burst / 3600))), size: max(Int(perSecond * burst), 1))
    }
}

/// Decides when the next request may be sent: the generic cell rate algorithm, in exact durations. A pure value: the
/// time is an argument.
struct RateSchedule {
    private let interval: Duration
    private let tolerance: Duration
    private var nextArrival: Duration?

    /// Allows one request each `interval`, and up to `size` at once after an idle time.
    init(interval: Duration, size: Int) {
        self.interval = interval
        self.tolerance = interval * (size - 1)
    }

    /// Reserves a request now and returns nil, or returns how long to wait before trying again.
    mutating func take(at now: Duration) -> Duration? {
        let arrival = max(nextArrival ?? now, now)
        let wait = arrival - tolerance - now
        guard wait <= .zero else { return wait }
        nextArrival = arrival + interval
        return nil
    }
}

/// Delays requests of each class until its quota allows them, first come, first served.
final class RateLimiter: Sendable {
    private final class Lane: Sendable {
        let lock = AsyncLock()
        let schedule: Mutex<RateSchedule>
        init(_ schedule: RateSchedule) { self.schedule = Mutex(schedule) }
    }

    private let lanes: [RateClass: Lane]
    private let clock: AnyClock

    init(_ policy: RatePolicy, isSandbox: Bool, clock: AnyClock) {
        let pairs = RateClass.all.map { ($0, Lane(policy.schedule(for: $0, isSandbox: isSandbox))) }
        lanes = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        self.clock = clock
    }

    /// Waits until a request of this class may be sent. Throws if the task is cancelled, which uses no quota.
    func wait(for rateClass: RateClass) async throws {
        guard let lane = lanes[rateClass] else { return }
        try await lane.lock.lock()
        defer { lane.lock.unlock() }
        while let wait = lane.schedule.withLock({ $0.take(at: clock.now()) }) { try await clock.sleep(wait) }
    }

    /// The number of tasks in the queue behind the first one.
    func waiting(for rateClass: RateClass) -> Int { lanes[rateClass]?.lock.waiting ?? 0 }
}
