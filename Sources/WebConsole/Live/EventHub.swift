internal import Foundation
internal import Synchronization

/// Notifies open pages of changes. An event contains only the topic; the page then fetches itself again.
///
/// Changes are numbered. A page contains the number of the last change before it was rendered, and its stream begins
/// there, so no change between the page and its stream is missed.
///
/// A topic can have an audience. Changes are numbered for each audience, so that none learns how much happens elsewhere.
package final class EventHub: Sendable {
    private struct Topic {
        /// The number of the last change when the topic was first watched. Earlier changes of the topic are unknown.
        let watchedSince: Int
        /// The number of the topic's last change.
        var changed = 0
        /// The number of streams that follow the topic.
        var followers = 0
        /// The time until which the stream of a rendered page is expected.
        var expectedUntil: ContinuousClock.Instant?

        func isWatched(at now: ContinuousClock.Instant) -> Bool {
            followers > 0 || expectedUntil.map { $0 > now } ?? false
        }
    }

    private struct State {
        /// The number before the first change. It is the current time, so that numbers differ between runs of the
        /// server.
        let first = Int(Date().timeIntervalSince1970 * 1000)
        /// The number of the last change for each audience.
        var changes: [String: Int] = [:]
        var topics: [String: Topic] = [:]
        var streams: [Int: Subscription] = [:]
        var lastID = 0
        var isClosed = false

        /// The number of an audience's last change.
        func last(for audience: String) -> Int { changes[audience] ?? first }

        /// Numbers a change for an audience.
        mutating func nextChange(for audience: String) -> Int {
            let change = last(for: audience) + 1
            changes[audience] = change
            return change
        }

        /// Changes a topic, which is watched from now on if it was not before.
        mutating func watch(_ name: String, _ change: (inout Topic) -> Void) {
            var topic = topics[name] ?? Topic(watchedSince: last(for: EventHub.audience(of: name)))
            change(&topic)
            topics[name] = topic
        }

        /// Removes unwatched topics, so that customers' names do not accumulate.
        mutating func prune(at now: ContinuousClock.Instant) { topics = topics.filter { $0.value.isWatched(at: now) } }
    }

    private struct Subscription {
        let topics: Set<String>
        /// The key of the client; nil if streams have no owners.
        let owner: String?
        let wakeups: AsyncStream<Void>.Continuation
    }

    private let state = Mutex(State())
    private let capacity: Int
    /// The maximum number of streams of one owner, so that no key prevents all others from following changes.
    package var ownerCapacity: Int { max(1, capacity / 2) }
    /// The start of the heartbeat interval, which all streams share.
    let started = ContinuousClock.now
    /// The maximum number of topics to watch for expected streams. Pages with further topics fetch themselves once
    /// more.
    private static let maximumExpected = 1000

    package init(capacity: Int = 64) { self.capacity = capacity }

    /// Returns the topic of an audience: only streams of this audience follow it. An audience has no spaces; the empty
    /// one is that of all streams without an audience.
    package static func topic(_ name: String, for audience: String) -> String {
        audience.isEmpty ? name : "\(name) \(audience)"
    }

    /// The audience of a topic. Names have no spaces: see ``topics(_:)``.
    package static func audience(of topic: String) -> String {
        topic.firstIndex(of: " ").map { String(topic[topic.index(after: $0)...]) } ?? ""
    }

    /// The name of a topic, without its audience.
    package static func name(of topic: String) -> String { String(topic.prefix { $0 != " " }) }

    /// Publishes a change of a topic to its audience.
    package func publish(_ topic: String) { publish(to: Self.audience(of: topic)) { $0 == topic } }

    /// Publishes a change of all topics of an audience whose names begin with `prefix`.
    package func publish(prefix: String, for audience: String = "") {
        publish(to: audience) { $0.hasPrefix(prefix) && Self.audience(of: $0) == audience }
    }

    private func publish(to audience: String, where isPublished: (String) -> Bool) {
        let waiting = state.withLock { state in
            let change = state.nextChange(for: audience)
            for name in state.topics.keys where isPublished(name) { state.topics[name]?.changed = change }
            return state.streams.values.filter { $0.topics.contains(where: isPublished) }.map(\.wakeups)
        }
        for continuation in waiting { continuation.yield() }
    }

    /// The number of the last change without an audience. A page rendered from now on includes that change.
    package var lastChange: Int { lastChange(for: "") }

    /// The number of an audience's last change. A page rendered from now on includes that change.
    package func lastChange(for audience: String) -> Int { state.withLock { $0.last(for: audience) } }

    /// Watches the topics of a rendered page for up to a minute, until its stream begins.
    package func expect(_ topics: some Collection<String>) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.prune(at: now)
            guard state.topics.count + topics.count <= Self.maximumExpected else { return }
            for name in topics { state.watch(name) { $0.expectedUntil = now + .seconds(60) } }
        }
    }

    /// The topics with a stream or an expected stream.
    package var watched: Set<String> {
        let now = ContinuousClock.now
        return state.withLock { Set($0.topics.filter { $0.value.isWatched(at: now) }.keys) }
    }

    /// The number of open streams.
    package var count: Int { state.withLock { $0.streams.count } }

    /// Whether an owner has ``ownerCapacity`` streams.
    func isAtCapacity(_ owner: String?) -> Bool { state.withLock { isAtCapacity(owner, in: $0) } }

    private func isAtCapacity(_ owner: String?, in state: State) -> Bool {
        owner.map { owner in state.streams.values.count(where: { $0.owner == owner }) >= ownerCapacity } ?? false
    }

    /// Ends all streams and refuses new ones.
    package func shutdown() {
        let streams = state.withLock { state in
            state.isClosed = true
            defer { (state.streams, state.topics) = ([:], [:]) }
            return Array(state.streams.values)
        }
        for stream in streams { stream.wakeups.finish() }
    }

    /// The stream of a page. It closes when it is deallocated, so a response that is never sent takes no slot.
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

    /// Opens a stream. If the maximum, or that of the owner, is reached, returns nil and wakes all streams, so that
    /// those with closed connections end and a later request gets a slot.
    func open(_ topics: Set<String>, for owner: String? = nil) -> Stream? {
        let (wakeups, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id: Int? = state.withLock { state in
            guard !state.isClosed, state.streams.count < capacity, !isAtCapacity(owner, in: state) else {
                return nil
            }
            state.prune(at: .now)
            state.lastID += 1
            state.streams[state.lastID] = Subscription(topics: topics, owner: owner, wakeups: continuation)
            for name in topics { state.watch(name) { $0.followers += 1 } }
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

    /// Returns the topics that have changed since a change, latest last, and the number of the last change of any
    /// topic of their audience. A topic whose changes since then are unknown counts as changed.
    func changedTopics(of topics: Set<String>, since last: Int) -> (topics: [(name: String, change: Int)], last: Int) {
        let audience = topics.first.map { Self.audience(of: $0) } ?? ""
        return state.withLock { state in
            let latest = state.last(for: audience)
            let changed = topics.compactMap { name -> (name: String, change: Int)? in
                guard let topic = state.topics[name] else { return nil }
                guard last >= topic.watchedSince, last <= latest else { return (name, latest) }
                return topic.changed > last ? (name, topic.changed) : nil
            }
            return (changed.sorted { ($0.change, $0.name) < ($1.change, $1.name) }, latest)
        }
    }

    /// Parses the value of `topics=a,b`. Returns nil unless there are one to eight valid topics.
    package static func topics(_ text: String?) -> Set<String>? {
        let topics = (text ?? "").split(separator: ",")
        guard (1...8).contains(topics.count), topics.allSatisfy({ $0.utf8.count <= maximumName }) else { return nil }
        // A topic must not contain a line break, which would end the line of the stream.
        guard topics.allSatisfy({ $0.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F } }) else {
            return nil
        }
        return Set(topics.map { String($0) })
    }

    /// The maximum length of a topic. A customer's identifier has up to 255 bytes, each of which may be percent-encoded
    /// as three.
    private static let maximumName = 800
}
