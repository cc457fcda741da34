internal import Tracing
internal import Basics
internal import HTTPTypes
internal import Hummingbird
internal import LedgerServices
internal import Logging

/// Counts each request, logs it at the level debug, and gives its answer the number that the log has.
///
/// The log has the route, never the path or the query: they name customers.
struct RequestMiddleware: RouterMiddleware {
    private static let header = HTTPField.Name("x-request-id")
    let logger: Logger
    let requests: RequestMetrics
    let spans: Spans

    @concurrent func handle(_ request: Request, context: ServerContext, next: NextHandler) async throws -> Response {
        let start = begin()
        do {
            // The route is known afterwards, and the path names customers.
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
            // Only what cannot be read as HTTP comes this far.
            note(request, context, .badRequest, start)
            throw error
        }
    }

    /// Counts a request, and says when it began.
    func begin() -> ContinuousClock.Instant {
        requests.begin()
        return .now
    }

    /// Counts an answer, and numbers it.
    func end(
        _ request: Request, _ context: ServerContext, _ response: Response, _ start: ContinuousClock.Instant
    ) -> Response {
        note(request, context, response.status, start)
        var response = response
        if let header = Self.header { response.headers[header] = context.requestID }
        // Answers are about customers and about now. Only what says otherwise itself, as files of the pages do, is kept.
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        // Whoever asks for the head would take a body for the beginning of the next answer (RFC 9110, section 9.3.2).
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func note(
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
    /// The request's number, by which its answer and its lines in the log are told to belong together.
    var requestID: String { logger[metadataKey: "hb.request.id"]?.description ?? "none" }
}

extension ServerContext {
    /// The pattern of the route, such as `/v1/customers/{id}`; `none` where there is none.
    var route: String {
        // That is Hummingbird's word.
        guard let endpointPath, endpointPath != "NotFound" else { return "none" }
        return endpointPath
    }
}
