internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import WebConsole

/// Lets in programs on this machine and the simulator's own pages, and no other page that somebody's browser happens to show.
///
/// The simulator listens on loopback, which a browser reaches as well. ``OriginCheck`` says what a page of elsewhere could do.
/// What the control API takes is JSON, which a page of another origin cannot send without asking first.
struct LoopbackGuard: RouterMiddleware {
    typealias Context = SimulatorContext

    private static let check = OriginCheck(admitsPrograms: true, isOwnHost: OriginCheck.isLoopback)

    @concurrent func handle(_ request: Request, context: SimulatorContext, next: NextHandler) async throws -> Response {
        if let refusal = Self.refusal(of: request) {
            return try await SimulatorRoutes.send(refusal.answer, context)
        }
        return try await next(request, context)
    }

    private static func refusal(of request: Request) -> ControlFailure? {
        switch check.refusal(of: request) {
        case .foreignHost:
            return ControlFailure(403, "foreign_host", "the simulator answers to 127.0.0.1, localhost and [::1]")
        case .foreignOrigin, .unknownOrigin:
            return ControlFailure(403, "foreign_origin", "pages from elsewhere may not use the simulator")
        case nil: break
        }
        // As the router reads a path.
        guard request.uri.path.split(separator: "/").first == "simulator", hasBody(request), !isJSON(request) else {
            return nil
        }
        return ControlFailure(415, "unsupported_media_type", "the body's Content-Type is application/json")
    }

    // RFC 9112 §6: a request has a body if one of these says so.
    private static func hasBody(_ request: Request) -> Bool {
        request.headers[.transferEncoding] != nil || (request.headers[.contentLength].map { $0 != "0" } ?? false)
    }

    private static func isJSON(_ request: Request) -> Bool {
        let type = request.headers[.contentType]?.prefix { $0 != ";" } ?? ""
        return type.trimmingCharacters(in: .whitespaces).lowercased() == "application/json"
    }
}
