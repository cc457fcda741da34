internal import ServiceLifecycle
internal import Basics
package import Ledger
internal import Foundation
internal import Synchronization

/// Keeps what was refused, away from the way that good requests take: a few at a time, and no more a second than there is
/// time for. Whoever sends rubbish by the thousand loses some of it, and only theirs: where there is no room, the one who
/// has most of it gives way.
package final class RefusalLog: Service {
    private struct State {
        var waiting: [(refusal: Refusal, client: Network?)] = []
        var bytes = 0
        var dropped = 0
        /// What was added since it was last made room.
        var added = RefusalStorageLimit(count: 0, bytes: 0)
    }

    private static let capacity = 512 << 10

    private let storage: any RefusalStorage
    private let limit: RefusalStorageLimit
    private let state = Mutex(State())
    private let wakeups: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation

    package init(_ storage: any RefusalStorage, keeping limit: RefusalStorageLimit) {
        self.storage = storage
        self.limit = limit
        (wakeups, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// How many were not kept, since the server was started.
    package var dropped: Int { state.withLock { $0.dropped } }

    /// Hands over a refusal. Nobody waits for it to be kept.
    package func add(_ refusal: Refusal) {
        guard limit.count > 0 else { return }
        let client = refusal.sender.flatMap { Network.ofClient(at: $0) }
        state.withLock { state in
            state.waiting.append((refusal, client))
            state.bytes += refusal.memory
            while state.bytes > Self.capacity { Self.dropOne(&state) }
        }
        bell.yield()
    }

    /// Drops the last refusal of the client who has most.
    private static func dropOne(_ state: inout State) {
        var shares: [Network?: Int] = [:]
        for (refusal, client) in state.waiting { shares[client, default: 0] += refusal.memory }
        // The client itself may be nil: who has no address is one as well.
        guard let most = shares.max(by: { $0.value < $1.value }),
            let index = state.waiting.lastIndex(where: { $0.client == most.key })
        else { return }
        state.bytes -= state.waiting.remove(at: index).refusal.memory
        state.dropped &+= 1
    }

    /// Keeps what is handed over, until ``close()``; then what is left.
    package func run() async {
        await withGracefulShutdownHandler {
            await makeRoom()
            for await _ in wakeups {
                await keep()
                // What comes until then is one commit.
                do { try await Task.sleep(for: .milliseconds(500)) } catch { break }
            }
            await keep()
        } onGracefulShutdown: {
            self.close()
        }
    }

    /// Ends ``run()``.
    package func close() { bell.finish() }

    /// Keeps what waits now.
    package func keep() async {
        let refusals = state.withLock { state in
            defer { (state.waiting, state.bytes) = ([], 0) }
            return state.waiting.map(\.refusal)
        }
        guard !refusals.isEmpty else { return }
        do {
            try await storage.commit(refusals)
            if isFull(refusals) { try await storage.dropRefusals(beyond: limit) }
        } catch {
            state.withLock { $0.dropped += refusals.count }
        }
    }

    /// Drops what an earlier configuration had room for. One that keeps nothing would never come to it otherwise.
    private func makeRoom() async {
        // While the ledger cannot be written it stays, until there is another start or more is kept.
        do { try await storage.dropRefusals(beyond: limit) } catch { return }
    }

    /// Whether it is time to make room. To find out what has to go all is read, so a little more than the limit is kept.
    private func isFull(_ refusals: [Refusal]) -> Bool {
        state.withLock { state in
            state.added.count += refusals.count
            state.added.bytes += refusals.reduce(0) { $0 + $1.size }
            guard state.added.count > limit.count / 16 || state.added.bytes > limit.bytes / 16 else { return false }
            state.added = RefusalStorageLimit(count: 0, bytes: 0)
            return true
        }
    }
}

extension Refusal {
    /// What one that waits counts for, so that small ones are limited as well.
    fileprivate var memory: Int { (16 << 10) + body.count }
}
