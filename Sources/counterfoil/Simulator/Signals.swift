import Dispatch
import Foundation
import Synchronization

/// The requests to stop that come from outside.
enum Signals {
    private static let numbers = [SIGINT, SIGTERM]
    /// The files and folders that go if the process ends early.
    private static let temporary = Mutex<Set<String>>([])

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

    /// Does `body`. If Ctrl-C or SIGTERM ends the process meanwhile, or ``removeTemporary()`` is called because it ends for
    /// another reason, a file or folder that only it needs goes too.
    static func removing<Value>(_ path: String, during body: () async throws -> Value) async throws -> Value {
        try await removing([path], during: body)
    }

    /// The same with several.
    static func removing<Value>(_ paths: [String], during body: () async throws -> Value) async throws -> Value {
        temporary.withLock { $0.formUnion(paths) }
        let sources = await catching { number in
            removeTemporary()
            die(of: number)
        }
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        release(sources)
        temporary.withLock { $0.subtract(paths) }
        return try result.get()
    }

    /// Removes what only this process needs, since it ends now.
    static func removeTemporary() {
        for path in temporary.withLock({ $0 }) {
            // Other threads may still put files into a folder. What cannot be removed in the end stays: the process ends in
            // any case.
            for _ in 0..<3 where FileManager.default.fileExists(atPath: path) {
                try? FileManager.default.removeItem(atPath: path)
            }
        }
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

    private static func caught() async -> (AsyncStream<Void>, [any DispatchSourceSignal]) {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
        return (signals, await catching { _ in continuation.yield() })
    }

    /// Catches the signals. None is lost once this has returned: until its source is registered a signal is ignored.
    private static func catching(_ handle: @escaping @Sendable (Int32) -> Void) async -> [any DispatchSourceSignal] {
        let (registered, registration) = AsyncStream.makeStream(of: Void.self)
        let sources = numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { handle(number) }
            source.setRegistrationHandler { registration.yield() }
            source.resume()
            return source
        }
        var count = 0
        for await _ in registered {
            count += 1
            if count == sources.count { break }
        }
        return sources
    }

    private static func release(_ sources: [any DispatchSourceSignal]) {
        for source in sources { source.cancel() }
        for number in numbers { signal(number, SIG_DFL) }
    }
}
