internal import Foundation
internal import Synchronization

/// Tells open pages that something has changed. It says which topic, and no more: pages then fetch themselves.
///
/// Changes are numbered. A page has the number of the last change from before it was made, and its stream begins there: what
/// changes between the page and its stream is told by the stream.
package final class EventHub: Sendable {
    private struct Topic {
        /// The number of the last change when somebody began to watch it. What changed before is not known.
        let watchedSince: Int
        /// The number of its last change.
        var changed = 0
        /// How many streams follow.
        var followers = 0
        /// Until when the stream of a page that was made may begin.
        var expectedUntil: ContinuousClock.Instant?

        func isWatched(at now: ContinuousClock.Instant) -> Bool {
            followers > 0 || expectedUntil.map { $0 > now } ?? false
        }
    }

    private struct State {
        /// The number of the last change. Another run of the server begins with other numbers.
        var changes = Int(Date().timeIntervalSince1970 * 1000)
        var topics: [String: Topic] = [:]
        var streams: [Int: Subscription] = [:]
        var lastID = 0
        var isClosed = false

        /// Forgets topics that nobody watches: names of customers do not pile up.
        mutating func prune(at now: ContinuousClock.Instant) { topics = topics.filter { $0.value.isWatched(at: now) } }
    }

    private struct Subscription {
        let topics: Set<String>
        let wakeups: AsyncStream<Void>.Continuation
    }

    private let state = Mutex(State())
    private let capacity: Int
    /// From when on the heartbeats of all streams are counted.
    let begun = ContinuousClock.now
    /// How many topics are watched for streams that have not begun, at most. A page of any other fetches itself once more.
    private static let maximumExpected = 1000

    package init(capacity: Int = 64) { self.capacity = capacity }

    /// Says that a topic has changed.
    package func publish(_ topic: String) { publish { $0 == topic } }

    /// Says that all topics have changed whose names begin so.
    package func publish(prefix: String) { publish { $0.hasPrefix(prefix) } }

    private func publish(_ isMeant: (String) -> Bool) {
        let waiting = state.withLock { state in
            state.changes += 1
            let change = state.changes
            for name in state.topics.keys where isMeant(name) { state.topics[name]?.changed = change }
            return state.streams.values.filter { $0.topics.contains(where: isMeant) }.map(\.wakeups)
        }
        for continuation in waiting { continuation.yield() }
    }

    /// The number of the last change. A page that is made from now on shows it.
    package var lastChange: Int { state.withLock { $0.changes } }

    /// Watches topics for a page that was made, until its stream begins.
    package func expect(_ topics: some Collection<String>) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.prune(at: now)
            guard state.topics.count + topics.count <= Self.maximumExpected else { return }
            let fresh = Topic(watchedSince: state.changes)
            for name in topics { state.topics[name, default: fresh].expectedUntil = now + .seconds(60) }
        }
    }

    /// The topics that somebody watches, or will in a moment.
    package var watched: Set<String> {
        let now = ContinuousClock.now
        return state.withLock { Set($0.topics.filter { $0.value.isWatched(at: now) }.keys) }
    }

    /// How many pages follow.
    package var count: Int { state.withLock { $0.streams.count } }

    /// Ends all streams, and takes no more.
    package func shutdown() {
        let streams = state.withLock { state in
            state.isClosed = true
            defer { (state.streams, state.topics) = ([:], [:]) }
            return Array(state.streams.values)
        }
        for stream in streams { stream.wakeups.finish() }
    }

    /// A stream of a page. It ends when nobody holds it: an answer that cannot be sent takes no place.
    final class Stream: Sendable {
        let wakeups: AsyncStream<Void>
        private let id: Int
        private let hub: EventHub

        fileprivate init(_ id: Int, _ wakeups: AsyncStream<Void>, _ hub: EventHub) {
            (self.id, self.wakeups, self.hub) = (id, wakeups, hub)
        }

        deinit { close() }

        func close() { hub.close(id) }
        func wake() { hub.wake(id) }
    }

    /// Begins a stream; nil where there are enough. All are woken then, so that those end whose readers are gone: whoever asks
    /// again in a moment has their place.
    func open(_ topics: Set<String>) -> Stream? {
        let (wakeups, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id: Int? = state.withLock { state in
            guard !state.isClosed, state.streams.count < capacity else { return nil }
            state.prune(at: .now)
            state.lastID += 1
            state.streams[state.lastID] = Subscription(topics: topics, wakeups: continuation)
            let fresh = Topic(watchedSince: state.changes)
            for name in topics { state.topics[name, default: fresh].followers += 1 }
            return state.lastID
        }
        guard let id else {
            let all = state.withLock { Array($0.streams.values) }
            for stream in all { stream.wakeups.yield() }
            return nil
        }
        return Stream(id, wakeups, self)
    }

    private func close(_ id: Int) {
        state.withLock { state in
            guard let stream = state.streams.removeValue(forKey: id) else { return }
            stream.wakeups.finish()
            for name in stream.topics { state.topics[name]?.followers -= 1 }
            state.prune(at: .now)
        }
    }

    private func wake(_ id: Int) {
        let continuation = state.withLock { $0.streams[id]?.wakeups }
        continuation?.yield()
    }

    /// The topics that have changed since a change, the latest last, and the number of the last change of all. A topic of
    /// which that is not known has changed.
    func news(of topics: Set<String>, since last: Int) -> (topics: [(name: String, change: Int)], last: Int) {
        state.withLock { state in
            let news = topics.compactMap { name -> (name: String, change: Int)? in
                guard let topic = state.topics[name] else { return nil }
                guard last >= topic.watchedSince, last <= state.changes else { return (name, state.changes) }
                return topic.changed > last ? (name, topic.changed) : nil
            }
            return (news.sorted { ($0.change, $0.name) < ($1.change, $1.name) }, state.changes)
        }
    }

    /// The topics of a request, as `topics=a,b` says them: up to eight.
    package static func topics(_ text: String?) -> Set<String>? {
        let topics = (text ?? "").split(separator: ",")
        guard (1...8).contains(topics.count), topics.allSatisfy({ $0.utf8.count <= maximumName }) else { return nil }
        // A line of the stream is ended by nothing within a topic.
        guard topics.allSatisfy({ $0.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F } }) else {
            return nil
        }
        return Set(topics.map { String($0) })
    }

    /// A customer's identifier has up to 255 bytes, each three when it is percent-encoded.
    private static let maximumName = 800
}
