package import AppStoreModels
package import AppStoreServer
package import Foundation
internal import Synchronization

/// Counts requests and refuses those above the quota. Apple's page: *Identifying rate limits*.
///
/// Apple lists a number of requests per second for each endpoint and app, and enforces it over an hour: an endpoint with
/// 50 has 180,000 requests an hour in production and a tenth of it in the sandbox. So each endpoint is counted alone here,
/// although the client spreads ``RateClass`` over all endpoints of the class to be on the safe side. An hour begins with
/// the first request after the last one ended. Where Apple names no number, the one that the client assumes holds.
///
/// One value for each app. What is refused does not count.
package final class RateLimits: Sendable {
    /// How strict to be.
    package enum Mode: Sendable, Hashable, Codable {
        /// As Apple.
        case apple
        /// Nothing is refused.
        case off
        /// Apple's quotas times this number, but at least one request an hour.
        case factor(Double)
    }

    private struct Key: Hashable {
        let endpoint: String
        let environment: AppStoreEnvironment
    }

    private struct Window {
        let begin: Date
        var count: Int
    }

    private static let hour: TimeInterval = 3600

    package let mode: Mode
    private let windows = Mutex<[Key: Window]>([:])

    /// No request so far.
    package init(_ mode: Mode = .apple) { self.mode = mode }

    /// Counts a request, or throws 4290000 with the end of the hour.
    package func check(
        _ endpoint: AppStoreEndpoint, in environment: AppStoreEnvironment, now: Date
    ) throws(APIFailure) {
        guard let quota = quota(of: endpoint, in: environment) else { return }
        let key = Key(endpoint: endpoint.name, environment: environment)
        let end: Date? = windows.withLock { windows in
            // A clock that was put back begins a new hour, too.
            guard let window = windows[key], (0..<Self.hour).contains(now.timeIntervalSince(window.begin)) else {
                windows[key] = Window(begin: now, count: 1)
                return nil
            }
            guard window.count < quota else { return window.begin + Self.hour }
            windows[key] = Window(begin: window.begin, count: window.count + 1)
            return nil
        }
        if let end {
            throw APIFailure(
                .rateLimitExceeded, "Rate limit exceeded: \(quota) requests an hour to \(endpoint.title).",
                retryAfter: end.millisecondsSince1970)
        }
    }

    /// The requests an hour; nil for as many as there come.
    package func quota(of endpoint: AppStoreEndpoint, in environment: AppStoreEnvironment) -> Int? {
        // A tenth of 3600 is whole, so no quota is rounded.
        let (apple, overflow) = endpoint.rateClass.perSecond
            .multipliedReportingOverflow(by: environment == .production ? 3600 : 360)
        switch mode {
        case .off: return nil
        case .apple: return overflow ? nil : apple
        case .factor(let factor):
            let product = Double(apple) * factor
            // Not a number and infinite factors refuse nothing.
            guard !overflow, product < 0x1p53 else { return nil }
            return max(Int(max(product, 0)), 1)
        }
    }
}
