internal import Hummingbird

/// Routes paths below `/console` to the console and all other paths to the API. Unusual spellings of `/console` go to
/// the API, which answers 404.
struct ConsoleRouter<Base: HTTPResponder>: HTTPResponder where Base.Context == ServerContext {
    let base: Base
    /// The console; nil if it is disabled or has a separate port.
    let console: (any HTTPResponder<ServerContext>)?

    @concurrent func respond(to request: Request, context: ServerContext) async throws -> Response {
        let path = request.uri.path
        guard let console, path == "/console" || path.hasPrefix("/console/") else {
            return try await base.respond(to: request, context: context)
        }
        return try await console.respond(to: request, context: context)
    }
}
