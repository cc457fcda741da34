internal import HTTPTypes
internal import Hummingbird
internal import WebConsole

/// Admits requests of programs on this machine and of the simulator's own pages. Refuses requests of other web pages.
///
/// The simulator listens on loopback, which browsers can reach, too. ``OriginCheck`` describes what a page of another
/// origin could do. The control API requires JSON, which a page of another origin cannot send without a preflight
/// request.
struct LoopbackGuard: RouterMiddleware {
    typealias Context = SimulatorContext

    private static let check = OriginCheck(allowsNonBrowsers: true, isOwnHost: OriginCheck.isLoopback)

    @concurrent func handle(_ request: Request, context: SimulatorContext, next: NextHandler) async throws -> Response {
        if let refusal = Self.refusal(of: request) {
            return try await SimulatorRoutes.send(refusal.response, context)
        }
        return try await next(request, context)
    }

    private static func refusal(of request: Request) -> ControlFailure? {
        switch check.refusal(of: request) {
        case .foreignHost:
            return ControlFailure(403, "foreign_host", "the Host header has to be 127.0.0.1, localhost or [::1]")
        case .foreignOrigin, .unknownOrigin:
            return ControlFailure(403, "foreign_origin", "web pages of other origins may not use the simulator")
        case nil: break
        }
        // Split the path as the router does.
        guard request.uri.path.split(separator: "/").first == "simulator", hasBody(request),
            request.headers.mediaType != "application/json"
        else { return nil }
        return ControlFailure(415, "unsupported_media_type", "send the body with the Content-Type application/json")
    }

    // RFC 9112 §6: a request has a body if one of these fields announces it.
    private static func hasBody(_ request: Request) -> Bool {
        request.headers[.transferEncoding] != nil || (request.headers[.contentLength].map { $0 != "0" } ?? false)
    }
}
