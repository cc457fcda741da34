internal import Basics
internal import HTTPTypes
internal import Hummingbird

/// Finds the methods that a path accepts, for 405 responses (RFC 9110, section 15.5.6).
final class AllowedMethods: Sendable {
    private struct Route {
        var parts: [Substring]
        var method: String

        /// Whether the path matches the route: `{id}` matches any segment that is not empty.
        func matches(_ path: [Substring]) -> Bool {
            parts.count == path.count && zip(parts, path).allSatisfy { $0.hasPrefix("{") ? !$1.isEmpty : $0 == $1 }
        }
    }

    private let routes = SharedValue<[Route]>([])

    /// Sets the routes, after all of them are added to the router.
    func setRoutes(_ routes: [(path: String, method: String)]) {
        self.routes.replace(with: routes.map { Route(parts: Self.parts($0.path[...]), method: $0.method) })
    }

    /// Returns the methods in alphabetical order; none if no route has this path.
    func allowed(at path: some StringProtocol) -> [String] {
        guard path.utf8.count <= 2048 else { return [] }
        let parts = Self.parts(Substring(path))
        let methods = Set(routes.current.filter { $0.matches(parts) }.map(\.method))
        // The router adds HEAD to each route with GET.
        return (methods.contains("GET") ? methods.union(["HEAD"]) : methods).sorted()
    }

    /// Returns the failure to answer to a request for which the router found no route, if the path has other methods.
    func failure(of request: Request, after error: any Error) -> APIFailure? {
        guard let error = error as? HTTPError, error.status == .notFound else { return nil }
        let allowed = allowed(at: request.uri.path)
        return allowed.isEmpty ? nil : .notAllowed(allowed)
    }

    private static func parts(_ path: Substring) -> [Substring] { path.split(separator: "/") }
}

extension APIFailure {
    static func notAllowed(_ methods: [String]) -> APIFailure {
        var failure = APIFailure(
            .methodNotAllowed, "method_not_allowed", "This path accepts \(methods.joined(separator: ", ")).")
        failure.allowed = methods
        return failure
    }
}
