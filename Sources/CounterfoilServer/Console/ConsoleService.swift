internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices
internal import Logging
internal import ServiceLifecycle
internal import WebConsole

/// Tells open pages that something changed, and ends their streams when the server ends.
struct ConsoleService: Service {
    let console: Console

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var (event, backlog): (Int64?, WebhookBacklog?) = (nil, nil)
            let start = ContinuousClock.now
            var noted = -MetricHistory.interval
            while !Task.isCancelled {
                let second = Int(start.duration(to: .now).components.seconds)
                if second - noted >= MetricHistory.interval, let text = await console.core.metrics.text() {
                    console.history.note(text, at: second)
                    noted = second
                }
                // Cancelled is the end.
                do { try await Task.sleep(for: .seconds(1)) } catch { break }
                // Nobody looks: nothing is asked.
                guard console.hub.isFollowed("") else { continue }
                do {
                    let last = try await console.core.storage.lastEvent()
                    if last != event {
                        for topic in ["overview", "inbox", "customers", "deliveries"] { console.hub.publish(topic) }
                    }
                    event = last
                    let waiting = try await console.core.webhooks.webhookBacklog()
                    if waiting != backlog { console.hub.publish("deliveries") }
                    backlog = waiting
                    if console.hub.isFollowed("recoveries") { console.hub.publish("recoveries") }
                } catch {
                    // The pages themselves say what is wrong with the ledger.
                    continue
                }
            }
        }
        console.hub.shutdown()
    }
}

/// Leads what is below `/console` to the pages, and everything else to the API. A path in an unusual spelling is the API's,
/// which has no pages.
struct ConsoleSwitch<Base: HTTPResponder>: HTTPResponder where Base.Context == ServerContext {
    let base: Base
    /// Nil where the pages are off, or have a port of their own.
    let console: (@Sendable (Request, ServerContext) async throws -> Response)?

    @concurrent func respond(to request: Request, context: ServerContext) async throws -> Response {
        let path = request.uri.path
        guard let console, path == "/console" || path.hasPrefix("/console/") else {
            return try await base.respond(to: request, context: context)
        }
        return try await console(request, context)
    }
}

/// The pages alone.
struct ConsoleOnly: HTTPResponder {
    let console: @Sendable (Request, ServerContext) async throws -> Response

    @concurrent func respond(to request: Request, context: ServerContext) async throws -> Response {
        try await console(request, context)
    }
}

extension Console {
    /// Answers every request for a page.
    var responder: @Sendable (Request, ServerContext) async throws -> Response {
        let timed = TimedResponder(
            base: ConsoleRoutes.responder(core, self), watch: core.watch,
            failures: FailureMiddleware(logger: core.logger, methods: AllowedMethods()))
        return { try await timed.respond(to: $0, context: $1) }
    }
}
