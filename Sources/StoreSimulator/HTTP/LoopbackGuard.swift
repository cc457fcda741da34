internal import Foundation
internal import HTTPTypes
internal import Hummingbird

/// Lets in programs on this machine, and no web page that somebody's browser happens to show.
///
/// The simulator listens on loopback, which a browser reaches as well. A page may send it requests from anywhere, and with a
/// name of its own that leads to 127.0.0.1 (DNS rebinding) it may read the answers too: so the name and the origin are looked
/// at. What the control API takes is JSON, which a page of another origin cannot send without asking first.
struct LoopbackGuard: RouterMiddleware {
    typealias Context = SimulatorContext

    @concurrent func handle(
        _ request: Request, context: SimulatorContext,
        next: @concurrent (Request, SimulatorContext) async throws -> Response
    ) async throws -> Response {
        if let refusal = Self.refusal(of: request) {
            return try await SimulatorRoutes.send(refusal.answer, context)
        }
        return try await next(request, context)
    }

    private static func refusal(of request: Request) -> ControlFailure? {
        // Whoever names no host is no browser.
        if let authority = request.head.authority, !isOwn(authority) {
            return ControlFailure(403, "foreign_host", "the simulator answers to 127.0.0.1, localhost and [::1]")
        }
        if let origin = request.headers[.origin], !isOwnOrigin(origin) {
            return ControlFailure(403, "foreign_origin", "pages from elsewhere may not use the simulator")
        }
        if let site = request.headers[.secFetchSite], site.lowercased() == "cross-site" {
            return ControlFailure(403, "foreign_origin", "pages from elsewhere may not use the simulator")
        }
        // As the router reads a path.
        guard request.uri.path.split(separator: "/").first == "simulator", hasBody(request), !isJSON(request) else {
            return nil
        }
        return ControlFailure(415, "unsupported_media_type", "the body's Content-Type is application/json")
    }

    /// Whether a host, with a port or without, is this machine by one of its own names.
    static func isOwn(_ authority: some StringProtocol) -> Bool {
        var host = authority.lowercased()[...]
        // A port is digits after the last colon that is not within an IPv6 address.
        if let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") {
            let port = host[host.index(after: colon)...]
            guard port.utf8.allSatisfy({ (48...57).contains($0) }) else { return false }
            host = host[..<colon]
        }
        return ["127.0.0.1", "localhost", "[::1]"].contains(host)
    }

    /// Whether a page comes from this machine, whatever serves it. `null` is any page that hides where it is from.
    private static func isOwnOrigin(_ origin: String) -> Bool {
        ["http://", "https://"].contains { scheme in
            origin.lowercased().hasPrefix(scheme) && isOwn(origin.dropFirst(scheme.count))
        }
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

extension HTTPField.Name {
    // https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header
    fileprivate static let secFetchSite = Self("Sec-Fetch-Site") ?? .origin
}
