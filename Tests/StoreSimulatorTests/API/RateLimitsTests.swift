import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import Testing

@Suite struct `Rate limits` {
    static let now = Date(timeIntervalSince1970: 1_760_000_000)

    /// Returns when the client may retry, in milliseconds since 1970, or nil when the request passes.
    func retry(
        _ limits: RateLimits, _ endpoint: AppStoreEndpoint, _ environment: AppStoreEnvironment = .production,
        _ now: Date = now
    ) throws -> Int64? {
        guard let failure = try failure({ try limits.check(endpoint, in: environment, now: now) }) else { return nil }
        #expect(failure.status == 429)
        #expect(failure.code == .rateLimitExceeded)
        return failure.retryAfter
    }

    @Test func `Hourly quotas are Apple's limits per second times 3600, and a tenth of that in the sandbox`() {
        let quotas: [(AppStoreEndpoint, Int)] = [
            (.transactionHistory, 180_000), (.setAppAccountToken, 72_000), (.order, 36_000),
            (.requestTestNotification, 3600), (.setDefaultMessage, 36_000), (.images, 3600),
            (.changeSubscriptionPrice, 180_000), (.requestRefund, 18_000),
        ]
        for (endpoint, quota) in quotas {
            #expect(RateLimits.quota(of: endpoint, in: .production) == quota)
            #expect(RateLimits.quota(of: endpoint, in: .sandbox) == quota / 10)
        }
    }

    @Test func `Requests above the quota are refused until the hour ends, with that time as retryAfter`() throws {
        let limits = RateLimits()
        for second in 0..<360 {
            #expect(try retry(limits, .images, .sandbox, Self.now + Double(second)) == nil)
        }
        let end: Int64 = 1_760_003_600_000
        #expect(try retry(limits, .images, .sandbox, Self.now + 360) == end)
        #expect(try retry(limits, .images, .sandbox, Self.now + 3599.999) == end)
        #expect(try retry(limits, .images, .sandbox, Self.now + 3600) == nil)
    }

    @Test func `Each endpoint and each environment has a quota of its own`() throws {
        let limits = RateLimits()
        for _ in 0..<360 { #expect(try retry(limits, .images, .sandbox) == nil) }
        #expect(try retry(limits, .images, .sandbox) != nil)
        #expect(try retry(limits, .messages, .sandbox) == nil)
        #expect(try retry(limits, .images) == nil)
    }

    @Test func `Setting the clock back resets the quota`() throws {
        let limits = RateLimits()
        for _ in 0..<360 { #expect(try retry(limits, .images, .sandbox) == nil) }
        #expect(try retry(limits, .images, .sandbox) == 1_760_003_600_000)
        #expect(try retry(limits, .images, .sandbox, Self.now - 1) == nil)
    }
}
