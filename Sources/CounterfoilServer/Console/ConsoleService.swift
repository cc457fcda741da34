internal import Hummingbird

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
        let responder = ConsoleRoutes.responder(core, self)
        return { try await responder.respond(to: $0, context: $1) }
    }
}
