import Dispatch
import Foundation

/// The requests to stop that come from outside.
enum Signals {
    private static let numbers = [SIGINT, SIGTERM]

    /// Does `body` until it ends by itself or Ctrl-C or SIGTERM comes, which cancels it. The first ends this, a second one
    /// ends the process.
    ///
    /// When `body` begins, the signals are caught: whoever is told that it runs may send one at once.
    static func untilStopped(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let (signals, sources) = await caught()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in signals { return } }
            group.addTask { try await body() }
            defer {
                release(sources)
                group.cancelAll()
            }
            do { try await group.next() } catch is CancellationError { return }
        }
    }

    /// Waits for Ctrl-C or SIGTERM.
    static func wait() async {
        let (signals, sources) = await caught()
        for await _ in signals { break }
        release(sources)
    }

    /// Catches the signals. None is lost once this has returned: until its source is registered a signal is ignored.
    private static func caught() async -> (AsyncStream<Void>, [any DispatchSourceSignal]) {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
        let (registered, registration) = AsyncStream.makeStream(of: Void.self)
        let sources = numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield() }
            source.setRegistrationHandler { registration.yield() }
            source.resume()
            return source
        }
        var count = 0
        for await _ in registered {
            count += 1
            if count == sources.count { break }
        }
        return (signals, sources)
    }

    private static func release(_ sources: [any DispatchSourceSignal]) {
        for source in sources { source.cancel() }
        for number in numbers { signal(number, SIG_DFL) }
    }
}
