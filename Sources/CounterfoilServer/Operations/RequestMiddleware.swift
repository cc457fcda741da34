internal import Basics
internal import HTTPTypes
internal import Hummingbird
internal import LedgerServices
internal import Logging
internal import Tracing

/// Counts each request, logs it at debug level, and adds the request ID of the log to the response.
///
/// The log contains the route, never the path or the query, because those contain customer IDs.
struct RequestMiddleware: RouterMiddleware {
    private static let header = HTTPField.Name("x-request-id")
    let logger: Logger
    let requests: RequestMetrics
    let spans: Spans

    @concurrent func handle(_ request: Request, context: ServerContext, next: NextHandler) async throws -> Response {
        requests.begin()
        let start = ContinuousClock.now
        do {
            // Name the span after the route, which is known only afterwards: the path contains customer IDs.
            let response = try await spans.measure(request.method.rawValue, .server) {
                try await next(request, context)
            } after: { response, attributes in
                attributes["http.request.method"] = request.method.rawValue
                attributes["http.route"] = context.route
                attributes["http.response.status_code"] = response.status.code
                return "\(request.method.rawValue) \(context.route)"
            }
            return end(request, context, response, start)
        } catch {
            // Only requests that cannot be parsed as HTTP throw here.
            record(request, context, .badRequest, start)
            throw error
        }
    }

    /// Counts and logs a response and adds its headers.
    private func end(
        _ request: Request, _ context: ServerContext, _ response: Response, _ start: ContinuousClock.Instant
    ) -> Response {
        record(request, context, response.status, start)
        var response = response
        if let header = Self.header { response.headers[header] = context.requestID }
        // Responses describe the current state of customers. Only responses with their own Cache-Control, such as the
        // console's files, may be cached.
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        // A body after HEAD would be read as the beginning of the next response (RFC 9110, section 9.3.2).
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func record(
        _ request: Request, _ context: ServerContext, _ status: HTTPResponse.Status, _ start: ContinuousClock.Instant
    ) {
        let route = context.route
        requests.end(.init(route: route, method: request.method.rawValue, status: status.code), since: start)
        logger.debug(
            "request",
            metadata: [
                "request": "\(context.requestID)", "method": "\(request.method.rawValue.prefix(16))",
                "route": "\(route)", "status": "\(status.code)",
                "duration_ms": "\(Int(start.duration(to: .now).seconds * 1000))",
            ])
    }
}

extension RequestContext {
    /// The request's ID, which connects a response with its log lines.
    var requestID: String { logger[metadataKey: "hb.request.id"]?.description ?? "none" }
}

extension ServerContext {
    /// The pattern of the route, such as `/v1/customers/{id}`; `none` if no route matches.
    var route: String {
        // Hummingbird uses this name if no route matches.
        guard let endpointPath, endpointPath != "NotFound" else { return "none" }
        return endpointPath
    }
}
