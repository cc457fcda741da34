internal import ServiceLifecycle
internal import Foundation
internal import Hummingbird
internal import Synchronization

/// Knows which requests are under way and since when. One look around a while replaces a timer for each: there are
/// thousands of them a second, and hardly one ever takes too long.
package final class RequestWatch: Service {
    private struct Entry {
        var deadline: ContinuousClock.Instant
        var answer: Task<Response, any Error>
    }

    private struct State {
        var number: UInt64 = 0
        var underWay: [UInt64: Entry] = [:]
    }

    private let limit: Duration
    private let state = Mutex(State())

    package init(limit: Duration) { self.limit = limit }

    /// Takes note of an answer that is being made.
    private func begin(_ answer: Task<Response, any Error>) -> UInt64 {
        let deadline = ContinuousClock.now + limit
        return state.withLock { state in
            state.number &+= 1
            state.underWay[state.number] = Entry(deadline: deadline, answer: answer)
            return state.number
        }
    }

    /// Forgets it; false when it took too long.
    private func end(_ number: UInt64) -> Bool {
        state.withLock { $0.underWay.removeValue(forKey: number) != nil }
    }

    /// Looks around until the server ends, and cancels what takes too long.
    package func run() async { await cancelWhenGracefulShutdown { await self.lookAround() } }

    private func lookAround() async {
        let pause = min(max(limit / 8, .milliseconds(5)), .seconds(1))
        while !Task.isCancelled {
            do { try await Task.sleep(for: pause) } catch { return }
            let now = ContinuousClock.now
            let overdue = state.withLock { state in
                let overdue = state.underWay.filter { $0.value.deadline <= now }
                for number in overdue.keys { state.underWay[number] = nil }
                return overdue.values
            }
            for entry in overdue { entry.answer.cancel() }
        }
    }
}

extension RequestWatch {
    /// Makes an answer. One that takes longer than a request may is cancelled; what is being written to the disk is not taken
    /// back: then the answer waits for it.
    ///
    /// - Throws: 503 for what was cancelled.
    func limiting(_ work: @escaping @Sendable @concurrent () async throws -> Response) async throws -> Response {
        // A task of its own, which can be cancelled without the connection. It begins here and now: most have nothing to
        // wait for, and are done when this returns.
        let answer = begin(work)
        let number = begin(answer)
        let result = await withTaskCancellationHandler {
            await answer.result
        } onCancel: {
            answer.cancel()
        }
        return try (end(number) ? result : Self.late(result)).get()
    }

    private func begin(_ work: @escaping @Sendable @concurrent () async throws -> Response) -> Task<Response, any Error>
    {
        // Everywhere but on an older macOS.
        if #available(macOS 26, *) { Task.immediate(operation: work) } else { Task(operation: work) }
    }

    private static func late(_ result: Result<Response, any Error>) -> Result<Response, any Error> {
        // What was done in spite of it is done.
        if case .success(let response) = result, response.status.code < 400 { return result }
        return .failure(
            APIFailure(
                .serviceUnavailable, "timeout", "The request took longer than a request may.", isRetryable: true,
                backoff: 1000))
    }
}

/// Gives up what takes longer than a request may.
struct RequestTimeLimit: RouterMiddleware {
    /// Answered at once, from memory or from what is read on the thread that asks: nothing in it waits, so nothing can be
    /// called off. A watch would take an eighth of the time of a customer's answer, and a third of that of an empty one.
    private static let immediate: Set = ["/health/live", "/openapi.yaml", "/v1/customers/{id}"]

    let watch: RequestWatch

    /// Whether an answer may have to wait: for a body, for notifications that are read and verified again, for the App Store.
    static func mayWait(_ request: Request, on route: String) -> Bool {
        // What somebody had at an instant is made from notifications, so a query is watched.
        request.method != .get || request.uri.query != nil || !immediate.contains(route)
    }

    @concurrent func handle(_ request: Request, context: ServerContext, next: NextHandler) async throws -> Response {
        guard Self.mayWait(request, on: context.route) else { return try await next(request, context) }
        return try await withoutActuallyEscaping(next) { next in
            // Only the answer's task calls it, and this returns when that has ended: it neither escapes nor runs twice at once.
            nonisolated(unsafe) let next = next
            return try await watch.limiting { try await next(request, context) }
        }
    }
}
