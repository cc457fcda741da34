internal import Foundation
internal import Synchronization

/// What the server counts and measures about itself, for `/metrics`.
///
/// Whatever is on the way of a notification costs a few atomic additions. What can be read when somebody asks is a
/// ``Gauge``, which each part of the server adds for itself.
package final class ServerMetrics: Sendable {
    /// A figure that is read when somebody asks for it.
    package struct Gauge: Sendable {
        package typealias Reading = (labels: [(name: String, value: String)], value: Double)

        /// The name, such as `counterfoil_webhook_backlog`.
        package var name: String
        /// A sentence about it.
        package var help: String
        /// Reads it: a value for each set of labels, of which there must be few. Nothing when it is not known.
        package var read: @Sendable () async -> [Reading]

        package init(_ name: String, _ help: String, read: @escaping @Sendable () async -> [Reading]) {
            self.name = name
            self.help = help
            self.read = read
        }
    }

    // MARK: Notifications

    /// Those that were new.
    package let kept = Counter()
    /// Those that were there already.
    package let duplicates = Counter()
    /// Those that were refused, by the reason's code.
    package let refused = LabelledCounters()
    /// From the request's head to the answer.
    package let acknowledgement = Histogram.ofAnswers()
    /// The proof of one signed text, whatever it waits for included.
    package let verification = Histogram.ofWork()

    // MARK: The ledger

    /// One commit.
    package let commit = Histogram.ofAnswers()
    /// How many notifications were received in one commit.
    package let batch = Histogram(bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
    /// One batch that is folded, from its verification to its commit.
    package let fold = Histogram.ofAnswers()
    /// From when a notification was received to when it was folded.
    package let foldLag = Histogram.ofDelays()

    // MARK: Others

    /// One question to a certificate's responder.
    package let revocation = Histogram.ofAnswers()
    /// Those that got no answer.
    package let revocationFailures = Counter()
    /// The requests of all routes.
    package let requests = RequestMetrics()
    /// Connections of clients who had as many as they may.
    package let refusedConnections = Counter()

    /// When the server began, which is when the process did but for a moment.
    let started = Date()
    private let added = Mutex<[Gauge]>([])

    package init() {}

    /// Has a figure shown.
    package func add(_ gauge: Gauge) { added.withLock { $0.append(gauge) } }

    var gauges: [Gauge] { added.withLock(\.self) }
}

/// How many requests there were, by route and status, and how long they took.
package final class RequestMetrics: Sendable {
    struct Key: Hashable {
        /// The route's pattern, never the path.
        var route: String
        var method: String
        var status: Int
    }

    /// More than all routes with all their statuses.
    private static let capacity = 1024
    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    private static let overflow = Key(route: "other", method: "OTHER", status: 0)

    private let histograms = Mutex<[Key: Histogram]>([:])
    private let begun = Counter()
    private let ended = Counter()

    /// How many are under way.
    package var underWay: Int { begun.value - ended.value }

    func begin() { begun.add() }

    func end(_ key: Key, since start: ContinuousClock.Instant) {
        ended.add()
        var key = key
        // Methods are the client's words.
        if !Self.methods.contains(key.method) { key.method = "OTHER" }
        histogram(key).note(since: start)
    }

    private func histogram(_ key: Key) -> Histogram {
        histograms.withLock { histograms in
            if let known = histograms[key] { return known }
            let key = histograms.count < Self.capacity ? key : Self.overflow
            if let known = histograms[key] { return known }
            let histogram = Histogram.ofAnswers()
            histograms[key] = histogram
            return histogram
        }
    }

    var reading: [(key: Key, histogram: Histogram)] {
        histograms.withLock { $0.map { ($0.key, $0.value) } }
            .sorted { ($0.0.route, $0.0.method, $0.0.status) < ($1.0.route, $1.0.method, $1.0.status) }
    }
}
