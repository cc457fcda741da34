import Dispatch
import Foundation
import Synchronization

/// The requests to stop that come from outside.
enum Signals {
    private struct State {
        /// Who is told of a signal: the last of them. Without any it ends the process.
        var handlers: [(number: Int, handle: @Sendable (Int32) -> Void)] = []
        var count = 0
        /// The files and folders that go if the process ends early.
        var temporary: Set<String> = []
    }

    private static let numbers = [SIGINT, SIGTERM]
    private static let state = Mutex(State())

    /// Does `body` until it ends by itself or Ctrl-C or SIGTERM comes, which cancels it. The first ends this, a second one
    /// ends the process.
    ///
    /// When `body` begins, the signals are caught: whoever is told that it runs may send one at once.
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

    /// Says something, and waits for Ctrl-C or SIGTERM, which is caught by then.
    static func wait(saying say: () -> Void) async {
        let (signals, handler) = await caught()
        say()
        for await _ in signals { break }
        release(handler)
    }

    /// Does `body`. If Ctrl-C or SIGTERM ends the process meanwhile, or ``removeTemporary()`` is called because it ends for
    /// another reason, a file or folder that only it needs goes too.
    static func removing<Value>(_ path: String, during body: () async throws -> Value) async throws -> Value {
        try await removing([path], during: body)
    }

    /// The same with several.
    static func removing<Value>(_ paths: [String], during body: () async throws -> Value) async throws -> Value {
        state.withLock { $0.temporary.formUnion(paths) }
        let handler = await catching { end(by: $0) }
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        release(handler)
        state.withLock { $0.temporary.subtract(paths) }
        return try result.get()
    }

    /// Removes what only this process needs, since it ends now.
    static func removeTemporary() {
        for path in state.withLock({ $0.temporary }) {
            // Other threads may still put files into a folder. What cannot be removed in the end stays: the process ends in
            // any case.
            for _ in 0..<3 where FileManager.default.fileExists(atPath: path) {
                try? FileManager.default.removeItem(atPath: path)
            }
        }
    }

    private static func end(by number: Int32) {
        removeTemporary()
        die(of: number)
    }

    /// Ends the process by a signal, whichever thread this is: those of Dispatch let none through.
    private static func die(of number: Int32) {
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
        return (signals, await catching { _ in continuation.yield() })
    }

    /// Has a handler told of the signals, instead of those before. None is lost once this has returned.
    private static func catching(_ handle: @escaping @Sendable (Int32) -> Void) async -> Int {
        await taking.value
        return state.withLock { state in
            state.count += 1
            state.handlers.append((state.count, handle))
            return state.count
        }
    }

    private static func release(_ handler: Int) {
        state.withLock { state in state.handlers.removeAll { $0.number == handler } }
    }

    /// Takes the signals for as long as the process lives: on Linux, Dispatch tells no source of a signal after another source
    /// of it was cancelled. Until its source is registered a signal is ignored.
    private static let taking = Task {
        let (registered, registration) = AsyncStream.makeStream(of: Void.self)
        for number in numbers {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                // Each keeps the other.
                withExtendedLifetime(source) { (state.withLock { $0.handlers.last?.handle } ?? end(by:))(number) }
            }
            source.setRegistrationHandler { registration.yield() }
            source.resume()
        }
        var left = numbers.count
        for await _ in registered {
            left -= 1
            if left == 0 { return }
        }
    }
}
