import Dispatch
import Foundation

/// The requests to stop that come from outside.
enum Signals {
    /// Waits for Ctrl-C or SIGTERM. The first ends this, a second one ends the process.
    static func wait() async {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield() }
            source.resume()
            return source
        }
        for await _ in signals { break }
        for source in sources { source.cancel() }
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }

    /// Does `body` until it ends by itself or one of the signals comes, which cancels it.
    static func untilStopped(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await wait() }
            group.addTask { try await body() }
            defer { group.cancelAll() }
            do { try await group.next() } catch is CancellationError { return }
        }
    }
}
