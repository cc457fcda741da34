internal import Basics
internal import HTTPTypes
internal import Hummingbird
internal import LedgerServices
internal import Logging
internal import NIOCore
internal import WebConsole

/// The routes for health checks and metrics.
struct OperationsRoutes {
    let readiness: Readiness
    let recorded: ServerMetrics
    let logger: Logger
    let access: LocalOrAuthorized
    /// Records refused requests for metrics.
    let audit: RequestAudit

    func add(to router: Router<ServerContext>) {
        router.get("/health/live") { _, _ in live() }
        router.get("/health/ready") { _, _ in await ready() }
        router.group().addMiddleware {
            AuditUnauthorizedMiddleware(audit: audit)
            access
            AuditMiddleware(audit: audit)
        }.get("/metrics") { _, context in try await metrics(context) }
    }

    /// Answers 200 while the process runs.
    private func live() -> Response {
        .object("health") { $0.member("status", "live") }
    }

    /// Answers 200 if the server can handle requests, otherwise 503, with the state of each part.
    private func ready() async -> Response {
        let problem = await readiness.ledgerProblem()
        let parts = [("server", readiness.isDraining ? "draining" : "ok"), ("ledger", problem ?? "ok")]
        let isReady = parts.allSatisfy { $0.1 == "ok" }
        // Load balancers poll often; log only changes.
        let states = parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        let former = readiness.recordStates(states)
        if former != states, !isReady {
            var metadata: Logger.Metadata = ["reason": "\(states)"]
            if let problem { metadata["ledger"] = readiness.reason(of: problem).map { "\($0)" } }
            logger.warning("the server is not ready", metadata: metadata)
        } else if former != states, !former.isEmpty {
            logger.notice("the server is ready again")
        }
        return .object("health", status: isReady ? .ok : .serviceUnavailable) { json in
            json.member("status", isReady ? "ready" : "not_ready")
            json.member("parts", parts) { json, part in
                json.object { json in
                    json.member("name", part.0)
                    json.member("status", part.1)
                }
            }
        }
    }

    private func metrics(_ context: ServerContext) async throws -> Response {
        try context.require(.operationsRead).requireAllApps()
        guard let text = await recorded.text() else { throw APIFailure.metricsNotExposed }
        return Response(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

extension APIFailure {
    static var metricsNotExposed: APIFailure {
        APIFailure(
            .notFound, "metrics_not_exposed",
            "This server sends its metrics to another backend: read them there.")
    }
}

/// Admits requests with a key and, if the configuration allows it, requests from this machine.
///
/// Requests through a proxy on this machine that is not configured and adds no header look like requests from this
/// machine. That is why the configuration has to allow them.
struct LocalOrAuthorized: RouterMiddleware {
    let authorization: Authorization
    let listen: ServerConfiguration.Listen

    @concurrent func handle(_ request: Request, context: ServerContext, next: NextHandler) async throws -> Response {
        guard listen.metrics == .local, Self.isLocalName(request.head.authority),
            ClientAddress(of: request, from: context.peer, listen).isLocal
        else {
            return try await authorization.handle(request, context: context, next: next)
        }
        var context = context
        context.principal = Principal(name: "this machine", scopes: [.operationsRead])
        return try await next(request, context)
    }

    /// Whether a `Host` is an address or a name without a dot. A page in a browser on this machine can make any other
    /// name resolve to this machine (DNS rebinding).
    private static func isLocalName(_ host: String?) -> Bool {
        // A request without `Host` is not from a browser.
        guard let host else { return true }
        guard let name = OriginCheck.name(of: host) else { return false }
        return !name.utf8.contains(UInt8(ascii: ".")) || Network(name) != nil
    }
}
