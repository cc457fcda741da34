internal import Synchronization

/// Tells open pages that something has changed. It says which topic, and no more: pages then fetch themselves.
package final class EventHub: Sendable {
    private struct State {
        var versions: [String: Int] = [:]
        var streams: [Int: Subscription] = [:]
        var lastID = 0
        var isClosed = false
    }

    private struct Subscription {
        let topics: Set<String>
        let wakeups: AsyncStream<Void>.Continuation
    }

    private let state = Mutex(State())
    private let capacity: Int

    package init(capacity: Int = 64) { self.capacity = capacity }

    /// Says that a topic has changed.
    package func publish(_ topic: String) {
        let waiting = state.withLock { state in
            let interested = state.streams.values.filter { $0.topics.contains(topic) }
            // Nobody is told of a topic that nobody follows: names of customers do not pile up.
            guard !interested.isEmpty else { return [AsyncStream<Void>.Continuation]() }
            state.versions[topic, default: 0] += 1
            return interested.map(\.wakeups)
        }
        for continuation in waiting { continuation.yield() }
    }

    /// Whether anybody follows a topic that begins so.
    package func isFollowed(_ prefix: String) -> Bool {
        state.withLock { $0.streams.values.contains { $0.topics.contains { $0.hasPrefix(prefix) } } }
    }

    /// How many pages follow.
    package var count: Int { state.withLock { $0.streams.count } }

    /// Ends all streams, and takes no more.
    package func shutdown() {
        let streams = state.withLock { state in
            state.isClosed = true
            defer { state.streams = [:] }
            return Array(state.streams.values)
        }
        for stream in streams { stream.wakeups.finish() }
    }

    /// A stream of a page.
    struct Stream: Sendable {
        let id: Int
        let topics: Set<String>
        let wakeups: AsyncStream<Void>
    }

    /// Begins a stream; nil where there are enough.
    func open(_ topics: Set<String>) -> Stream? {
        let (wakeups, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        return state.withLock { state in
            guard !state.isClosed, state.streams.count < capacity else { return nil }
            state.lastID += 1
            state.streams[state.lastID] = Subscription(topics: topics, wakeups: continuation)
            return Stream(id: state.lastID, topics: topics, wakeups: wakeups)
        }
    }

    func close(_ id: Int) {
        state.withLock { state in
            state.streams.removeValue(forKey: id)?.wakeups.finish()
            let followed = state.streams.values.reduce(into: Set<String>()) { $0.formUnion($1.topics) }
            state.versions = state.versions.filter { followed.contains($0.key) }
        }
    }

    func wake(_ id: Int) {
        let continuation = state.withLock { $0.streams[id]?.wakeups }
        continuation?.yield()
    }

    /// The versions of the topics that have changed.
    func versions(of topics: Set<String>) -> [String: Int] {
        state.withLock { state in state.versions.filter { topics.contains($0.key) } }
    }

    /// The topics of a request, as `topics=a,b` says them: up to eight.
    package static func topics(_ text: String?) -> Set<String>? {
        let topics = (text ?? "").split(separator: ",")
        guard (1...8).contains(topics.count), topics.allSatisfy({ $0.utf8.count <= 200 }) else { return nil }
        // A line of the stream is ended by nothing within a topic.
        guard topics.allSatisfy({ $0.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F } }) else {
            return nil
        }
        return Set(topics.map { String($0) })
    }
}
