internal import Hummingbird
internal import ServiceLifecycle
internal import Synchronization

/// Cancels requests that exceed the time limit. One periodic check replaces a timer for each request: there are
/// thousands of requests per second, and hardly any exceeds the limit.
package final class RequestWatch: Service {
    private struct Entry {
        var deadline: ContinuousClock.Instant
        var task: Task<Response, any Error>
    }

    private struct State {
        var number: UInt64 = 0
        var tasks: [UInt64: Entry] = [:]
    }

    private let limit: Duration
    private let state = Mutex(State())

    package init(limit: Duration) { self.limit = limit }

    /// Registers the task of a response and returns its number.
    private func register(_ task: Task<Response, any Error>) -> UInt64 {
        let deadline = ContinuousClock.now + limit
        return state.withLock { state in
            state.number &+= 1
            state.tasks[state.number] = Entry(deadline: deadline, task: task)
            return state.number
        }
    }

    /// Removes a task. Returns false if the task was already removed because it exceeded the limit.
    private func unregister(_ number: UInt64) -> Bool {
        state.withLock { $0.tasks.removeValue(forKey: number) != nil }
    }

    /// Cancels overdue requests until graceful shutdown begins.
    package func run() async { await cancelWhenGracefulShutdown { await self.cancelOverdueRequests() } }

    private func cancelOverdueRequests() async {
        let pause = min(max(limit / 8, .milliseconds(5)), .seconds(1))
        while !Task.isCancelled {
            do { try await Task.sleep(for: pause) } catch { return }
            let now = ContinuousClock.now
            let overdue = state.withLock { state in
                let overdue = state.tasks.filter { $0.value.deadline <= now }
                for number in overdue.keys { state.tasks[number] = nil }
                return overdue.values
            }
            for entry in overdue { entry.task.cancel() }
        }
    }
}

extension RequestWatch {
    /// Runs `work` in a task and cancels the task if it exceeds the time limit. A commit in progress is not rolled
    /// back; the response waits for it.
    ///
    /// - Throws: 503 if the task was cancelled and did not succeed.
    func limiting(_ work: @escaping @Sendable @concurrent () async throws -> Response) async throws -> Response {
        // A separate task can be cancelled without the connection's task. It starts synchronously, because most
        // requests never suspend and are finished when this call returns.
        let task = start(work)
        let number = register(task)
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        return try (unregister(number) ? result : Self.timedOut(result)).get()
    }

    private func start(_ work: @escaping @Sendable @concurrent () async throws -> Response) -> Task<Response, any Error>
    {
        // `Task.immediate` is available everywhere except on older versions of macOS.
        if #available(macOS 26, *) { Task.immediate(operation: work) } else { Task(operation: work) }
    }

    private static func timedOut(_ result: Result<Response, any Error>) -> Result<Response, any Error> {
        // If the request succeeded in spite of the cancellation, return its response.
        if case .success(let response) = result, response.status.code < 400 { return result }
        return .failure(
            APIFailure(
                .serviceUnavailable, "timeout", "The request exceeded the time limit.", isRetryable: true,
                backoff: 1000))
    }
}

/// Limits the time of each request.
struct RequestTimeLimit: RouterMiddleware {
    /// The routes that never suspend: they answer from memory or from a synchronous read, so there is nothing to
    /// cancel. Watching them would add an eighth to the time of a customer's response, and a third to that of an empty
    /// response.
    private static let immediate: Set = ["/health/live", "/openapi.yaml", "/v1/customers/{id}"]

    let watch: RequestWatch

    /// Whether a request may suspend: for a body, for notifications that are verified again, or for the App Store.
    static func mayWait(_ request: Request, on route: String) -> Bool {
        // With a query parameter, a customer's state at an instant is computed from stored notifications.
        request.method != .get || request.uri.query != nil || !immediate.contains(route)
    }

    @concurrent func handle(_ request: Request, context: ServerContext, next: NextHandler) async throws -> Response {
        guard Self.mayWait(request, on: context.route) else { return try await next(request, context) }
        return try await withoutActuallyEscaping(next) { next in
            // Only the response's task calls `next`, and this function returns after that task has ended. So `next`
            // neither escapes nor runs concurrently.
            nonisolated(unsafe) let next = next
            return try await watch.limiting { try await next(request, context) }
        }
    }
}
