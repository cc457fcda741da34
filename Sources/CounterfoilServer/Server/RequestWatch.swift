internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Synchronization

/// Knows which requests are under way and since when. One look around a while replaces a timer for each: there are
/// thousands of them a second, and hardly one ever takes too long.
package final class RequestWatch: Sendable {
    private struct State {
        var number: UInt64 = 0
        var waiting: [UInt64: (deadline: ContinuousClock.Instant, continuation: CheckedContinuation<Void, Never>)] = [:]
    }

    private let limit: Duration
    private let state = Mutex(State())

    package init(limit: Duration) { self.limit = limit }

    /// Returns when the time is over, or the task is cancelled.
    func wait() async {
        let number = state.withLock { state in
            state.number &+= 1
            return state.number
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // A cancellation that came before has found nothing to resume.
                    if Task.isCancelled { return true }
                    state.waiting[number] = (.now + limit, continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.continuation.resume()
        }
    }

    /// Looks around until the task is cancelled.
    package func run() async {
        let pause = min(max(limit / 8, .milliseconds(5)), .seconds(1))
        while !Task.isCancelled {
            do { try await Task.sleep(for: pause) } catch { return }
            let now = ContinuousClock.now
            let overdue = state.withLock { state in
                let overdue = state.waiting.filter { $0.value.deadline <= now }
                for number in overdue.keys { state.waiting[number] = nil }
                return overdue.values
            }
            for entry in overdue { entry.continuation.resume() }
        }
    }
}

/// Cancels what takes longer than a request may, and says so. What is being written to the disk is not taken back: then
/// the answer waits for it.
struct TimedResponder<Base: HTTPResponder>: HTTPResponder where Base.Context == ServerContext {
    let base: Base
    let watch: RequestWatch

    private enum Outcome: Sendable {
        case answered(Result<Response, any Error>)
        case waited
    }

    @concurrent func respond(to request: Request, context: ServerContext) async throws -> Response {
        try await withTaskGroup(of: Outcome.self) { group in
            group.addTask { .answered(await self.answer(request, context)) }
            group.addTask {
                await self.watch.wait()
                return .waited
            }
            var isOverdue = false
            for await outcome in group {
                group.cancelAll()
                switch outcome {
                case .waited: isOverdue = true
                case .answered(let result): return isOverdue ? late(result, request, context) : result
                }
            }
            return .failure(CancellationError())
        }.get()
    }

    private func answer(_ request: Request, _ context: ServerContext) async -> Result<Response, any Error> {
        do { return .success(try await base.respond(to: request, context: context)) } catch { return .failure(error) }
    }

    private func late(
        _ result: Result<Response, any Error>, _ request: Request, _ context: ServerContext
    ) -> Result<Response, any Error> {
        // What was done in spite of it is done.
        if case .success(let response) = result, response.status.code < 400 { return result }
        let failure = APIFailure(
            .serviceUnavailable, "timeout", "The request took longer than a request may.", isRetryable: true,
            backoff: 1000)
        return .success(failure.response(from: request, context: context))
    }
}
