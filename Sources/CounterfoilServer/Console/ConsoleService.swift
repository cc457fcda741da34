internal import Hummingbird

/// Routes paths below `/console` to the console and all other paths to the API. Unusual spellings of `/console` go to
/// the API, which answers 404.
struct ConsoleSwitch<Base: HTTPResponder>: HTTPResponder where Base.Context == ServerContext {
    let base: Base
    /// The console; nil if it is disabled or has a separate port.
    let console: (@Sendable (Request, ServerContext) async throws -> Response)?

    @concurrent func respond(to request: Request, context: ServerContext) async throws -> Response {
        let path = request.uri.path
        guard let console, path == "/console" || path.hasPrefix("/console/") else {
            return try await base.respond(to: request, context: context)
        }
        return try await console(request, context)
    }
}

/// Routes all requests to the console, for its separate port.
struct ConsoleOnly: HTTPResponder {
    let console: @Sendable (Request, ServerContext) async throws -> Response

    @concurrent func respond(to request: Request, context: ServerContext) async throws -> Response {
        try await console(request, context)
    }
}

extension Console {
    /// The responder of all routes of the console.
    var responder: @Sendable (Request, ServerContext) async throws -> Response {
        let responder = ConsoleRoutes.responder(core, self)
        return { try await responder.respond(to: $0, context: $1) }
    }
}
