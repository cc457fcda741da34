internal import ServiceLifecycle
internal import Foundation
internal import HTTPTypes
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
    fileprivate func begin(_ answer: Task<Response, any Error>) -> UInt64 {
        let deadline = ContinuousClock.now + limit
        return state.withLock { state in
            state.number &+= 1
            state.underWay[state.number] = Entry(deadline: deadline, answer: answer)
            return state.number
        }
    }

    /// Forgets it; false when it took too long.
    fileprivate func end(_ number: UInt64) -> Bool {
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

/// Cancels what takes longer than a request may, and says so. What is being written to the disk is not taken back: then
/// the answer waits for it.
struct TimedResponder<Base: HTTPResponder>: HTTPResponder where Base.Context == ServerContext {
    let base: Base
    let watch: RequestWatch
    /// The answer to a request that took too long.
    let fail: @Sendable (APIFailure, Request, ServerContext) -> Response

    @concurrent func respond(to request: Request, context: ServerContext) async throws -> Response {
        // A task of its own, which can be cancelled without the connection. It begins here and now: most have nothing to
        // wait for, and are done when this returns.
        let answer = begin { try await base.respond(to: request, context: context) }
        let number = watch.begin(answer)
        let result = await withTaskCancellationHandler {
            await answer.result
        } onCancel: {
            answer.cancel()
        }
        let response = try (watch.end(number) ? result : late(result, request, context)).get()
        // Whoever asks for the head would take a body for the beginning of the next answer (RFC 9110, section 9.3.2).
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func begin(_ work: @escaping @Sendable @concurrent () async throws -> Response) -> Task<Response, any Error>
    {
        // Everywhere but on an older macOS.
        if #available(macOS 26, *) { Task.immediate(operation: work) } else { Task(operation: work) }
    }

    private func late(
        _ result: Result<Response, any Error>, _ request: Request, _ context: ServerContext
    ) -> Result<Response, any Error> {
        // What was done in spite of it is done.
        if case .success(let response) = result, response.status.code < 400 { return result }
        let failure = APIFailure(
            .serviceUnavailable, "timeout", "The request took longer than a request may.", isRetryable: true,
            backoff: 1000)
        return .success(fail(failure, request, context))
    }
}
