import Dispatch
import Foundation
import Synchronization

/// Handles the signals that end a command: SIGINT (Ctrl-C), SIGTERM and SIGHUP (the terminal was closed).
enum Signals {
    private struct State {
        /// The signal handlers. Only the last one is called. Without any, a signal ends the process.
        var handlers: [(number: Int, handle: @Sendable (Int32) -> Void)] = []
        var count = 0
        /// The files and folders to remove if the process ends early.
        var temporary: Set<String> = []
    }

    private static let numbers = [SIGINT, SIGTERM, SIGHUP]
    private static let state = Mutex(State())

    /// Runs `body` until it returns, or cancels it at a signal. A second signal ends the process.
    ///
    /// Signals are caught before `body` starts, so that another process may send one as soon as `body` prints that it
    /// runs.
    static func untilStopped(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let (signals, handler) = await caught()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in signals { return } }
            group.addTask { try await body() }
            defer {
                release(handler)
                group.cancelAll()
            }
            do { try await group.next() } catch is CancellationError { return }
        }
    }

    /// Catches the signals, runs `print`, and waits for one.
    static func wait(printing print: () -> Void) async {
        let (signals, handler) = await caught()
        print()
        for await _ in signals { break }
        release(handler)
    }

    /// Runs `body`. Removes files and folders if a signal ends the process meanwhile, or if ``removeTemporary()`` is
    /// called.
    static func removing<Value>(_ paths: [String], during body: () async throws -> Value) async throws -> Value {
        state.withLock { $0.temporary.formUnion(paths) }
        let handler = await addHandler { end(by: $0) }
        defer {
            release(handler)
            state.withLock { $0.temporary.subtract(paths) }
        }
        return try await body()
    }

    /// Removes the temporary files and folders. Called before the process ends.
    static func removeTemporary() {
        for path in state.withLock({ $0.temporary }) {
            // Try three times, because other threads may still create files in a folder. Then give up: the process
            // ends.
            for _ in 0..<3 where FileManager.default.fileExists(atPath: path) {
                try? FileManager.default.removeItem(atPath: path)
            }
        }
    }

    /// Ends the process with a signal. Unblocks the signal, because threads of Dispatch block all signals.
    private static func end(by number: Int32) {
        removeTemporary()
        signal(number, SIG_DFL)
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, number)
        pthread_sigmask(SIG_UNBLOCK, &mask, nil)
        raise(number)
        _exit(128 + number)
    }

    private static func caught() async -> (AsyncStream<Void>, handler: Int) {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
        return (signals, await addHandler { _ in continuation.yield() })
    }

    /// Adds a handler, which is called instead of the previous ones. No signal is lost after this returns.
    private static func addHandler(_ handle: @escaping @Sendable (Int32) -> Void) async -> Int {
        await registration.value
        return state.withLock { state in
            state.count += 1
            state.handlers.append((state.count, handle))
            return state.count
        }
    }

    private static func release(_ handler: Int) {
        state.withLock { state in state.handlers.removeAll { $0.number == handler } }
    }

    /// Registers the signal sources, once for the life of the process: on Linux, Dispatch does not call a source of a
    /// signal after another source of that signal was cancelled. Until then a signal ends the process, which has nothing
    /// to clean up yet.
    private static let registration = Task {
        let (registered, continuation) = AsyncStream.makeStream(of: Void.self)
        let handled = numbers.filter { $0 != SIGHUP || !isHangupIgnored() }
        for number in handled {
            #if canImport(Darwin)
                // On Linux a source replaces the default action. If the signal were ignored there, one that arrives
                // before the source is registered would be lost.
                signal(number, SIG_IGN)
            #endif
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                // The handler retains the source and the source retains the handler, so the source is never released.
                withExtendedLifetime(source) { (state.withLock { $0.handlers.last?.handle } ?? end(by:))(number) }
            }
            source.setRegistrationHandler { continuation.yield() }
            source.resume()
        }
        var left = handled.count
        for await _ in registered {
            left -= 1
            if left == 0 { return }
        }
    }

    /// Whether SIGHUP has another action than the default, which is nil: `nohup` ignores it.
    private static func isHangupIgnored() -> Bool {
        let action = signal(SIGHUP, SIG_IGN)
        signal(SIGHUP, action)
        return action != nil
    }
}
