package import CoreMetrics
internal import LedgerServices
internal import Synchronization

/// Counts and measures requests by route, method and status.
package final class RequestMetrics: Sendable {
    struct Key: Hashable {
        /// The route's pattern, never the path.
        var route: String
        var method: String
        var status: Int
    }

    private struct Handles {
        let count: Counter
        let duration: Timer
    }

    /// The maximum number of label combinations: more than all routes with all their statuses.
    private static let capacity = 1024
    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    private static let overflow = Key(route: "other", method: "OTHER", status: 0)

    private let factory: any MetricsFactory
    /// Counts connections that were refused because their client had too many.
    let refusedConnections: Counter
    private let handles = Mutex<[Key: Handles]>([:])
    private let open = Atomic<Int>(0)

    package init(_ factory: any MetricsFactory) {
        self.factory = factory
        refusedConnections = Counter(label: MetricFamily.refusedConnections.name, factory: factory)
    }

    /// The number of requests in progress.
    package var underWay: Int { open.load(ordering: .relaxed) }

    func begin() { open.wrappingAdd(1, ordering: .relaxed) }

    func end(_ key: Key, since start: ContinuousClock.Instant) {
        open.wrappingSubtract(1, ordering: .relaxed)
        let handles = handles(key)
        handles.count.increment()
        handles.duration.record(since: start)
    }

    /// Returns the metrics for a key. For a known key this is a single lookup.
    private func handles(_ key: Key) -> Handles {
        handles.withLock { handles in
            if let known = handles[key] { return known }
            var key = key
            // Clients can send any method.
            if !Self.methods.contains(key.method) { key.method = "OTHER" }
            if handles[key] == nil, handles.count >= Self.capacity { key = Self.overflow }
            if let known = handles[key] { return known }
            let made = makeHandles(key)
            handles[key] = made
            return made
        }
    }

    private func makeHandles(_ key: Key) -> Handles {
        let labels = [("route", key.route), ("method", key.method), ("status", "\(key.status)")]
        return Handles(
            count: Counter(label: MetricFamily.requests.name, dimensions: labels, factory: factory),
            duration: Timer(label: MetricFamily.requestDuration.name, dimensions: labels, factory: factory))
    }
}
