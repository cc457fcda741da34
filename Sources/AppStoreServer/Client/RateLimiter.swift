internal import Basics
import Synchronization

/// A group of endpoints that share a quota. Apple's page: *Identifying rate limits*.
///
/// Apple states requests per second and app, and enforces them over an hour.
public struct RateClass: Sendable, Hashable {
    /// The name: the API and the number.
    public let name: String

    /// Requests per second in production. The sandbox has a tenth.
    public let perSecond: Int

    private init(_ name: String, _ perSecond: Int) {
        self.name = name
        self.perSecond = perSecond
    }

    /// App Store Server API: most of it.
    public static let server50 = RateClass("server-50", 50)
    /// App Store Server API: what changes a purchase.
    public static let server20 = RateClass("server-20", 20)
    /// App Store Server API: orders and refunds.
    public static let server10 = RateClass("server-10", 10)
    /// App Store Server API: test notifications, extensions for all subscribers.
    public static let server1 = RateClass("server-1", 1)
    /// App Store Server API: Apple names no number, so the lowest one of the API is assumed.
    public static let unlisted = RateClass("server-unlisted", 1)
    /// Retention Messaging API: default messages.
    public static let retention10 = RateClass("retention-10", 10)
    /// Retention Messaging API: everything else.
    public static let retention1 = RateClass("retention-1", 1)
    /// Advanced Commerce API: changes.
    public static let advancedCommerce50 = RateClass("advanced-commerce-50", 50)
    /// Advanced Commerce API: cancellations, refunds, revocations.
    public static let advancedCommerce5 = RateClass("advanced-commerce-5", 5)

    static let all: [RateClass] = [
        server50, server20, server10, server1, unlisted, retention10, retention1, advancedCommerce50, advancedCommerce5,
    ]
}

/// How much of Apple's quotas one client uses.
public struct RatePolicy: Sendable, Hashable {
    /// The part of each quota to use, above 0 and up to 1. Less than 1 when several processes call for one app.
    public var share: Double

    /// How much may be sent at once after a quiet time, as the time in which the quota grows by as much; up to half an
    /// hour. Whatever it is, no hour has more requests than Apple's quota, and one request is always possible.
    public var burst: Duration

    /// Creates a policy.
    public init(share: Double = 1, burst: Duration = .seconds(60)) {
        self.share = share
        self.burst = burst
    }

    /// The requests per second, on average, and how many at once.
    func schedule(for rateClass: RateClass, isSandbox: Bool) -> RateSchedule {
        let share = share > 0 && share <= 1 ? max(share, 0.001) : 1
        let perSecond = Double(rateClass.perSecond) * share * (isSandbox ? 0.1 : 1)
        let burst = min(max(burst.seconds, 0), 1800)
        // What is sent at once is missing from the rest of the hour.
        return RateSchedule(
            interval: .seconds(1 / (perSecond * (1 - burst / 3600))), size: max(Int(perSecond * burst), 1))
    }
}

/// When the next request may go: the generic cell rate algorithm, in exact durations. Pure: time comes in.
struct RateSchedule {
    private let interval: Duration
    private let tolerance: Duration
    private var nextArrival: Duration?

    /// One request each `interval`, up to `size` at once after a quiet time.
    init(interval: Duration, size: Int) {
        self.interval = interval
        self.tolerance = interval * (size - 1)
    }

    /// Takes a place if there is one now; otherwise says how long to wait before asking again.
    mutating func take(at now: Duration) -> Duration? {
        let arrival = max(nextArrival ?? now, now)
        let wait = arrival - tolerance - now
        guard wait <= .zero else { return wait }
        nextArrival = arrival + interval
        return nil
    }
}

/// Lets requests of each class go as its quota allows, first come, first served.
final class RateLimiter: Sendable {
    private final class Lane: Sendable {
        let gate = FairGate()
        let schedule: Mutex<RateSchedule>
        init(_ schedule: RateSchedule) { self.schedule = Mutex(schedule) }
    }

    private let lanes: [RateClass: Lane]
    private let clock: WaitingClock

    init(_ policy: RatePolicy, isSandbox: Bool, clock: WaitingClock) {
        let pairs = RateClass.all.map { ($0, Lane(policy.schedule(for: $0, isSandbox: isSandbox))) }
        lanes = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        self.clock = clock
    }

    /// Returns when a request of this class may go; throws when the task is cancelled, which uses up nothing.
    func wait(for rateClass: RateClass) async throws {
        guard let lane = lanes[rateClass] else { return }
        try await lane.gate.enter()
        defer { lane.gate.leave() }
        while let wait = lane.schedule.withLock({ $0.take(at: clock.now()) }) { try await clock.sleep(wait) }
    }

    /// How many tasks wait for the one at the head of the queue.
    func waiting(for rateClass: RateClass) -> Int { lanes[rateClass]?.gate.waiting ?? 0 }
}
