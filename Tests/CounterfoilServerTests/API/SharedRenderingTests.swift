import Synchronization
import Testing

@testable import CounterfoilServer

@Suite(.timeLimit(.minutes(10))) struct `What open pages ask for at one moment` {
    private let shared = SharedRendering<String> {}
    private let maker = Maker()

    /// Asks while the first is being made, and says when all of them wait.
    private func ask(_ count: Int) async -> [Task<String, any Error>] {
        let before = shared.waiting
        let tasks = (0..<count).map { _ in Task { try await shared.shared("page") { try await maker.make() } } }
        while shared.waiting < before + count { await Task.yield() }
        return tasks
    }

    private func begin(fails: Bool = false) async -> Task<String, any Error> {
        let task = Task { try await shared.shared("page") { try await maker.make(fails: fails) } }
        while maker.begun == 0 { await Task.yield() }
        return task
    }

    @Test func `is made twice: for the first, and for all who asked while it was made`() async throws {
        let first = await begin()
        let others = await ask(19)
        maker.finish()
        #expect(try await first.value == "1")
        while maker.begun < 2 { await Task.yield() }
        maker.finish()
        for other in others { #expect(try await other.value == "2") }
        #expect(maker.begun == 2 && shared.waiting == 0)
    }

    @Test func `is made once for all who ask before it is begun`() async throws {
        let gate = Maker()
        let shared = SharedRendering<String> { do { _ = try await gate.make() } catch { return } }
        let tasks = (0..<20).map { _ in Task { try await shared.shared("page") { try await maker.make() } } }
        while shared.waiting < 19 { await Task.yield() }
        #expect(gate.begun == 1 && maker.begun == 0)
        gate.finish()
        while maker.begun == 0 { await Task.yield() }
        maker.finish()
        for task in tasks { #expect(try await task.value == "1") }
        #expect(maker.begun == 1 && shared.waiting == 0)
    }

    @Test func `is never what was begun before it was asked for`() async throws {
        let first = await begin()
        let second = await ask(1)
        maker.finish()
        _ = try await first.value
        while maker.begun < 2 { await Task.yield() }
        let third = await ask(1)
        maker.finish()
        #expect(try await second[0].value == "2")
        while maker.begun < 3 { await Task.yield() }
        maker.finish()
        #expect(try await third[0].value == "3")
    }

    @Test func `is made by all who wait at once where one fails, and only that one is told`() async throws {
        let first = await begin(fails: true)
        let others = await ask(3)
        maker.finish()
        await #expect(throws: Maker.Trouble.self) { try await first.value }
        // None of them waits for another.
        while maker.begun < 4 { await Task.yield() }
        for _ in others { maker.finish() }
        var made: Set<String> = []
        for other in others { made.insert(try await other.value) }
        #expect(made == ["2", "3", "4"] && shared.waiting == 0)
    }

    @Test func `is not waited for by who gives up`() async throws {
        let first = await begin()
        let others = await ask(3)
        others[1].cancel()
        await #expect(throws: CancellationError.self) { try await others[1].value }
        maker.finish()
        _ = try await first.value
        while maker.begun < 2 { await Task.yield() }
        // Now one makes it and the other one rides along.
        others[2].cancel()
        others[0].cancel()
        maker.finish()
        await #expect(throws: CancellationError.self) { try await others[0].value }
        await #expect(throws: CancellationError.self) { try await others[2].value }
        let later = Task { try await shared.shared("page") { try await maker.make() } }
        while maker.begun < 3 { await Task.yield() }
        maker.finish()
        #expect(try await later.value == "3")
    }

    @Test func `is made by itself for another page`() async throws {
        let first = await begin()
        #expect(try await shared.shared("another page") { "another" } == "another")
        maker.finish()
        _ = try await first.value
    }
}

/// Makes numbered texts, each ending when the test says so.
private final class Maker: Sendable {
    struct Trouble: Error {}

    private struct State {
        var begun = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var begun: Int { state.withLock { $0.begun } }

    func make(fails: Bool = false) async throws -> String {
        var number = 0
        await withCheckedContinuation { continuation in
            number = state.withLock { state in
                state.begun += 1
                state.waiting.append(continuation)
                return state.begun
            }
        }
        try Task.checkCancellation()
        if fails { throw Trouble() }
        return "\(number)"
    }

    func finish() {
        let next = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
        next?.resume()
    }
}
