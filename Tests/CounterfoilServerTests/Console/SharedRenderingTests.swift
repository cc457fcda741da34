import Synchronization
import TestSupport
import Testing

@testable import CounterfoilServer

@Suite(.timeLimit(.minutes(10))) struct `Shared rendering of console pages` {
    private let shared = SharedRendering<String> {}
    private let renderer = Renderer()

    /// Starts `count` requests during a rendering and returns when all of them wait.
    private func request(_ count: Int) async throws -> [Task<String, any Error>] {
        let before = shared.waiting
        let tasks = (0..<count).map { _ in Task { try await shared.shared("page") { try await renderer.render() } } }
        try await waitUntil("\(count) requests wait") { shared.waiting >= before + count }
        return tasks
    }

    private func start(fails: Bool = false) async throws -> Task<String, any Error> {
        let task = Task { try await shared.shared("page") { try await renderer.render(fails: fails) } }
        try await waitUntil("a rendering starts") { renderer.started > 0 }
        return task
    }

    @Test func `Requests that arrive during a rendering share one next rendering`() async throws {
        let first = try await start()
        let others = try await request(19)
        renderer.finish()
        #expect(try await first.value == "1")
        try await waitUntil("two renderings have started") { renderer.started >= 2 }
        renderer.finish()
        for other in others { #expect(try await other.value == "2") }
        #expect(renderer.started == 2 && shared.waiting == 0)
    }

    @Test func `Requests that arrive before a rendering begins share it`() async throws {
        let gate = Renderer()
        let shared = SharedRendering<String> { do { _ = try await gate.render() } catch { return } }
        let tasks = (0..<20).map { _ in Task { try await shared.shared("page") { try await renderer.render() } } }
        try await waitUntil("19 requests wait") { shared.waiting >= 19 }
        #expect(gate.started == 1 && renderer.started == 0)
        gate.finish()
        try await waitUntil("a rendering starts") { renderer.started > 0 }
        renderer.finish()
        for task in tasks { #expect(try await task.value == "1") }
        #expect(renderer.started == 1 && shared.waiting == 0)
    }

    @Test func `A request never gets a rendering that began before the request`() async throws {
        let first = try await start()
        let second = try await request(1)
        renderer.finish()
        _ = try await first.value
        try await waitUntil("two renderings have started") { renderer.started >= 2 }
        let third = try await request(1)
        renderer.finish()
        #expect(try await second[0].value == "2")
        try await waitUntil("three renderings have started") { renderer.started >= 3 }
        renderer.finish()
        #expect(try await third[0].value == "3")
    }

    @Test func `After a failed rendering each waiting request renders for itself`() async throws {
        let first = try await start(fails: true)
        let others = try await request(3)
        renderer.finish()
        await #expect(throws: Renderer.Failure.self) { try await first.value }
        // The waiting requests render concurrently.
        try await waitUntil("four renderings have started") { renderer.started >= 4 }
        for _ in others { renderer.finish() }
        var rendered: Set<String> = []
        for other in others { rendered.insert(try await other.value) }
        #expect(rendered == ["2", "3", "4"] && shared.waiting == 0)
    }

    @Test func `A cancelled request stops waiting, and later requests are served`() async throws {
        let first = try await start()
        let others = try await request(3)
        others[1].cancel()
        await #expect(throws: CancellationError.self) { try await others[1].value }
        renderer.finish()
        _ = try await first.value
        try await waitUntil("two renderings have started") { renderer.started >= 2 }
        // One of the two renders, the other waits for it.
        others[2].cancel()
        others[0].cancel()
        renderer.finish()
        await #expect(throws: CancellationError.self) { try await others[0].value }
        await #expect(throws: CancellationError.self) { try await others[2].value }
        let later = Task { try await shared.shared("page") { try await renderer.render() } }
        try await waitUntil("three renderings have started") { renderer.started >= 3 }
        renderer.finish()
        #expect(try await later.value == "3")
    }

    @Test func `A rendering does not delay requests for another page`() async throws {
        let first = try await start()
        #expect(try await shared.shared("another page") { "another" } == "another")
        renderer.finish()
        _ = try await first.value
    }
}

/// Renders numbered texts. Each rendering ends with a call of `finish`.
private final class Renderer: Sendable {
    struct Failure: Error {}

    private struct State {
        var started = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var started: Int { state.withLock { $0.started } }

    func render(fails: Bool = false) async throws -> String {
        var number = 0
        await withCheckedContinuation { continuation in
            number = state.withLock { state in
                state.started += 1
                state.waiting.append(continuation)
                return state.started
            }
        }
        try Task.checkCancellation()
        if fails { throw Failure() }
        return "\(number)"
    }

    func finish() {
        let next = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
        next?.resume()
    }
}
