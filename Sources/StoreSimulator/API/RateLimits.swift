package import AppStoreModels
package import AppStoreServer
package import Foundation
internal import Synchronization

/// Counts requests and refuses requests above the quota. Apple's page: *Identifying rate limits*.
///
/// Apple lists the requests per second for each endpoint and app and enforces them per hour: an endpoint with 50 per
/// second has 180,000 requests an hour in production and a tenth of that in the sandbox. This type counts each endpoint
/// separately; to be on the safe side, the client shares the quota of a ``RateClass`` among all endpoints of the class.
/// An hour begins with the first request after the previous hour ended. If Apple does not publish a number, the one
/// that the client assumes applies.
///
/// Use one value for each app. Refused requests are not counted.
package final class RateLimits: Sendable {
    private struct Key: Hashable {
        let endpoint: String
        let environment: AppStoreEnvironment
    }

    private static let hour: TimeInterval = 3600

    private let windows = Mutex<[Key: (begin: Date, count: Int)]>([:])

    /// Creates limits with no requests counted.
    package init() {}

    /// Forgets all counted requests.
    func reset() { windows.withLock { $0 = [:] } }

    /// Counts a request. Throws 4290000 with the end of the hour if the quota is used up.
    package func check(
        _ endpoint: AppStoreEndpoint, in environment: AppStoreEnvironment, now: Date
    ) throws(APIFailure) {
        let quota = Self.quota(of: endpoint, in: environment)
        let key = Key(endpoint: endpoint.name, environment: environment)
        let end: Date? = windows.withLock { windows in
            // A clock that went back starts a new hour, too.
            guard let window = windows[key], (0..<Self.hour).contains(now.timeIntervalSince(window.begin)) else {
                windows[key] = (now, 1)
                return nil
            }
            guard window.count < quota else { return window.begin + Self.hour }
            windows[key] = (window.begin, window.count + 1)
            return nil
        }
        if let end {
            throw APIFailure(
                .rateLimitExceeded, "Rate limit exceeded: \(quota) requests an hour to \(endpoint.title).",
                retryAfter: end.millisecondsSince1970)
        }
    }

    /// Returns the maximum number of requests per hour.
    package static func quota(of endpoint: AppStoreEndpoint, in environment: AppStoreEnvironment) -> Int {
        // A tenth of 3600 is a whole number, so no quota is rounded.
        endpoint.rateClass.perSecond * (environment == .production ? 3600 : 360)
    }
}
