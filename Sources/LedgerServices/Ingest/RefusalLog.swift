internal import AppStoreModels
internal import Foundation
package import Ledger
package import Logging
internal import ServiceLifecycle
internal import Synchronization

/// Stores refused requests in batches, without delaying accepted ones.
///
/// The buffer is bounded. When it is full, the log drops refusals of the client that uses most of it, so a flood from
/// one client cannot displace the refusals of others. The server's log has the number of refusals that are not stored.
package final class RefusalLog: Service {
    private struct State {
        var waiting: [(refusal: Refusal, client: ExactText)] = []
        var bytes = 0
        /// The number of refusals not stored since the start.
        var dropped = 0
        /// Those of them that the log does not have yet.
        var unreported = 0
        /// The number and size of the refusals stored since the last trim.
        var added = RefusalStorageLimit(count: 0, bytes: 0)

        mutating func countDropped(_ count: Int) {
            dropped += count
            unreported += count
        }
    }

    private static let capacity = 512 << 10

    private let storage: any RefusalStorage
    private let limit: RefusalStorageLimit
    private let logger: Logger
    private let commitFailures, trimFailures: FailureLog
    /// Limits log lines about dropped refusals, because anybody can cause them.
    private let logMeter = RateMeter(perHour: 60)
    private let state = Mutex(State())
    private let wakeups = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    package init(_ storage: any RefusalStorage, keeping limit: RefusalStorageLimit, logger: Logger) {
        self.storage = storage
        self.limit = limit
        self.logger = logger
        commitFailures = FailureLog(logger, end: "refused deliveries are stored again")
        trimFailures = FailureLog(logger, end: "old refused deliveries are deleted again")
    }

    /// The number of refusals not stored since the server started.
    package var dropped: Int { state.withLock { $0.dropped } }

    /// Queues a refusal and returns at once.
    package func add(_ refusal: Refusal) {
        guard limit.count > 0 else { return }
        let client = ExactText(Refusal.client(ofSender: refusal.sender))
        state.withLock { state in
            state.waiting.append((refusal, client))
            state.bytes += refusal.memory
            while state.bytes > Self.capacity { Self.dropFromLargestClient(&state) }
        }
        wakeups.continuation.yield()
    }

    /// Drops the newest refusal of the client that uses most of the buffer.
    private static func dropFromLargestClient(_ state: inout State) {
        var bytes: [ExactText: Int] = [:]
        for (refusal, client) in state.waiting { bytes[client, default: 0] += refusal.memory }
        guard let largest = bytes.max(by: { $0.value < $1.value }),
            let index = state.waiting.lastIndex(where: { $0.client == largest.key })
        else { return }
        state.bytes -= state.waiting.remove(at: index).refusal.memory
        state.countDropped(1)
    }

    /// Stores refusals until ``close()``, then the remaining ones.
    package func run() async {
        await withGracefulShutdownHandler {
            await trim()
            for await _ in wakeups.stream {
                await flush()
                // Collect refusals for the next commit.
                do { try await Task.sleep(for: .milliseconds(500)) } catch { break }
            }
            await flush()
        } onGracefulShutdown: {
            self.close()
        }
    }

    /// Ends ``run()``.
    package func close() { wakeups.continuation.finish() }

    /// Stores the queued refusals.
    package func flush() async {
        let refusals = state.withLock { state in
            defer { (state.waiting, state.bytes) = ([], 0) }
            return state.waiting.map(\.refusal)
        }
        guard !refusals.isEmpty else { return }
        do { try await storage.commit(refusals) } catch {
            commitFailures.record("refused deliveries cannot be stored", error)
            return state.withLock { $0.countDropped(refusals.count) }
        }
        commitFailures.recordSuccess()
        logDropped()
        if needsTrimming(refusals) { await trim() }
    }

    /// Logs the number of refusals that were not stored since it was logged last.
    private func logDropped() {
        guard state.withLock({ $0.unreported > 0 }), logMeter.take(at: RateMeter.now) == nil else { return }
        let count = state.withLock { state in
            defer { state.unreported = 0 }
            return state.unreported
        }
        logger.warning(
            "refused deliveries were not stored: too many arrived, or the ledger could not be written",
            metadata: ["count": "\(count)"])
    }

    /// Drops refusals beyond the limit. Runs at the start too: the limit may be lower than before. With a limit of zero
    /// nothing is stored, so no later trim would run.
    private func trim() async {
        // If the ledger cannot be written, they stay until the next start or the next trim.
        await trimFailures.attempt("old refused deliveries cannot be deleted") {
            try await storage.dropRefusals(beyond: limit)
        }
    }

    /// Whether to trim now. Trimming reads all refusals, so it waits until 1/16 of the limit was added since the last
    /// time.
    private func needsTrimming(_ refusals: [Refusal]) -> Bool {
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
    /// The buffer space that a queued refusal takes. Each counts at least 16 KiB, so that small ones are limited too.
    fileprivate var memory: Int { (16 << 10) + body.count }
}
