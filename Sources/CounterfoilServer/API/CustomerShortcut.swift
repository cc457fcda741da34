internal import HTTPTypes
internal import Hummingbird

/// Leads the question that is asked most, what a customer has, past the router and the middleware: their layers take longer
/// than the answer. Everything is checked, counted and logged as there, but nobody watches the time: there is nothing in it
/// that could be called off. Whatever is not plainly that question goes there.
struct CustomerShortcut<Base: HTTPResponder>: HTTPResponder where Base.Context == ServerContext {
    private static var prefix: String { "/v1/customers/" }

    let base: Base
    private let core: ServerCore
    private let requests: RequestMiddleware
    private let failures: FailureMiddleware
    private let authorization: Authorization

    init(base: Base, _ core: ServerCore, _ authorization: Authorization) {
        (self.base, self.core, self.authorization) = (base, core, authorization)
        (requests, failures) = (RequestMiddleware(core), FailureMiddleware(logger: core.logger))
    }

    @concurrent func respond(to request: Request, context: ServerContext) async throws -> Response {
        guard let name = Self.customer(request) else { return try await base.respond(to: request, context: context) }
        let start = requests.begin()
        var context = context
        context.coreContext.endpointPath.value = "/v1" + CustomerRoutes.path
        do {
            context.principal = try authorization.principal(request)
            let response = try await CustomerRoutes.customer(name, request, context, core)
            return requests.end(request, context, response, start)
        } catch {
            let response = failures.response(to: error, request, context)
            return requests.end(request, context, response, start)
        }
    }

    /// The customer that is asked for now; nil if it is not that simple.
    private static func customer(_ request: Request) -> String? {
        let path = request.uri.path
        guard request.method == .get, path.utf8.starts(with: prefix.utf8), request.uri.query == nil,
            request.headers[values: .contentLength].allSatisfy({ $0 == "0" })
        else { return nil }
        let name = path.utf8.dropFirst(prefix.utf8.count)
        return name.isEmpty || name.contains(UInt8(ascii: "/")) ? nil : String(name)
    }
}
