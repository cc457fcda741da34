internal import Ledger
internal import Logging
internal import ServiceLifecycle
internal import Synchronization

/// Logs a failure that lasts, such as a full disk, when it begins and when it is over. Services try again every second,
/// so repetitions are logged at the level `debug` only.
final class FailureLog: Sendable {
    /// The maximum number of different failures to remember.
    private static let capacity = 16

    private let logger: Logger
    private let end: Logger.Message
    /// The messages and reasons since the last success.
    private let known = Mutex<Set<String>>([])

    /// - Parameter end: The message that the failure is over.
    init(_ logger: Logger, end: Logger.Message) { (self.logger, self.end) = (logger, end) }

    /// Whether there was a failure since the last success.
    var isFailing: Bool { known.withLock { !$0.isEmpty } }

    /// Does work that a service repeats. Logs a failure, unless the task is cancelled: the shutdown interrupts the work.
    func attempt(_ message: Logger.Message, _ work: () async throws -> Void) async {
        do {
            try await work()
            recordSuccess()
        } catch {
            if !Task.isCancelled { record(message, error) }
        }
    }

    /// Does work after each `interval` until the server shuts down, as ``attempt(_:_:)`` does it.
    ///
    /// - Parameters:
    ///   - beginsAtOnce: Whether to do it also before the first interval.
    ///   - isPossible: Whether to do it now. What is left out is neither a failure nor its end.
    func attempt(
        _ message: Logger.Message, every interval: Duration, of clock: ServerClock, beginsAtOnce: Bool = false,
        when isPossible: @escaping @Sendable () -> Bool = { true }, _ work: @escaping @Sendable () async throws -> Void
    ) async {
        await cancelWhenGracefulShutdown {
            if beginsAtOnce, isPossible() { await self.attempt(message, work) }
            while !Task.isCancelled {
                // The wait throws only if the task is cancelled.
                do { try await clock.wait(for: interval) } catch { return }
                if isPossible() { await self.attempt(message, work) }
            }
        }
    }

    /// Logs a failure, unless one with the same message and reason was logged since the last success.
    func record(
        _ message: Logger.Message, _ error: any Error, level: Logger.Level = .error, metadata: Logger.Metadata = [:]
    ) {
        let reason = error.logReason
        let failure = "\(message) \(reason)"
        let isNew = known.withLock { known in
            if known.contains(failure) { return false }
            if known.count >= Self.capacity { known = [] }
            known.insert(failure)
            return true
        }
        logger.log(
            level: isNew ? level : .debug, message,
            metadata: metadata.merging(["reason": "\(reason)"]) { _, reason in reason })
    }

    /// Logs that the failure is over, if there was one.
    func recordSuccess() {
        let wasFailing = known.withLock { known in
            defer { known = [] }
            return !known.isEmpty
        }
        if wasFailing { logger.notice(end) }
    }
}
