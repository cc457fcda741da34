internal import LedgerServices
internal import Basics
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import WebConsole

/// Health and metrics, for those who run the server.
struct OperationsRoutes {
    let readiness: Readiness
    let recorded: ServerMetrics
    let logger: Logger
    let access: LocalOrAuthorized

    func add(to router: Router<ServerContext>) {
        // Many monitors and load balancers ask with HEAD.
        for method in [HTTPRequest.Method.get, .head] {
            router.on("/health/live", method: method) { _, _ in live() }
            router.on("/health/ready", method: method) { _, _ in await ready() }
        }
        router.group().add(middleware: access).get("/metrics") { _, context in try await metrics(context) }
    }

    /// The process is there and answers.
    private func live() -> Response {
        var json = JSONWriter()
        json.object("health") { json in
            json.member("status", "live")
        }
        return json.response()
    }

    /// Whether requests should come here: 200, or 503 with the part that cannot do its work.
    private func ready() async -> Response {
        let parts = [
            ("server", readiness.isDraining ? "draining" : "ok"),
            ("ledger", await readiness.ledgerProblem() ?? "ok"),
        ]
        let isReady = parts.allSatisfy { $0.1 == "ok" }
        // Load balancers ask all the time, and the log needs it once.
        let states = parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        if readiness.isNews(states), !isReady {
            logger.warning("the server is not ready", metadata: ["reason": "\(states)"])
        }
        var json = JSONWriter()
        json.object("health") { json in
            json.member("status", isReady ? "ready" : "not_ready")
            json.member("parts", parts) { json, part in
                json.object { json in
                    json.member("name", part.0)
                    json.member("status", part.1)
                }
            }
        }
        return json.response(status: isReady ? .ok : .serviceUnavailable)
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
            "This server records its metrics to another backend: ask that one for them.")
    }
}

/// Lets in who shows a key and, where the configuration says so, who asks from this machine.
///
/// A proxy on this machine that nobody told us about and that adds no header cannot be told from this machine: that is why
/// the configuration has to say so.
struct LocalOrAuthorized: RouterMiddleware {
    let authorization: Authorization
    let listen: ServerConfiguration.Listen

    @concurrent func handle(_ request: Request, context: ServerContext, next: NextHandler) async throws -> Response {
        guard listen.metrics == .local, Self.isLocalName(request.head.authority),
            ClientAddress(of: request, from: context.peer, listen).isThisMachine
        else {
            return try await authorization.handle(request, context: context, next: next)
        }
        var context = context
        context.principal = Principal(name: "this machine", scopes: [.operationsRead])
        return try await next(request, context)
    }

    /// Whether a `Host` is an address or a name without a dot. A page in a browser on this machine may have any other name, and
    /// let it lead here (DNS rebinding).
    private static func isLocalName(_ host: String?) -> Bool {
        // Whoever names no host is no browser.
        guard let host else { return true }
        guard let name = OriginCheck.name(of: host) else { return false }
        return !name.utf8.contains(UInt8(ascii: ".")) || Network(name) != nil
    }
}
