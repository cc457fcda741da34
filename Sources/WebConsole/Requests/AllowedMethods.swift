internal import Basics

/// Finds the methods that a path accepts, for 405 responses (RFC 9110, section 15.5.6).
package final class AllowedMethods: Sendable {
    private struct Route {
        var parts: [Substring]
        var method: String
        var exactSegments: Int { parts.count(where: { !$0.hasPrefix("{") }) }

        /// Whether the path matches the route: `{id}` matches any segment.
        func matches(_ path: [Substring]) -> Bool {
            parts.count == path.count && zip(parts, path).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
    }

    private let routes = SharedValue<[Route]>([])

    package init() {}

    /// Sets the routes, after all of them are added to the router.
    package func setRoutes(_ routes: [(path: String, method: String)]) {
        self.routes.replace(with: routes.map { Route(parts: Self.parts($0.path[...]), method: $0.method) })
    }

    /// Returns the methods in alphabetical order; none if no route has this path.
    package func allowed(at path: some StringProtocol) -> [String] {
        guard path.utf8.count <= 2048 else { return [] }
        let parts = Self.parts(Substring(path))
        let matching = routes.current.filter { $0.matches(parts) }
        // The router prefers a route with the exact segment to one with a parameter, whatever the method.
        let mostExact = matching.map(\.exactSegments).max()
        let methods = Set(matching.filter { $0.exactSegments == mostExact }.map(\.method))
        // The router adds HEAD to each route with GET.
        return (methods.contains("GET") ? methods.union(["HEAD"]) : methods).sorted()
    }

    /// Splits a path as the router does, which drops empty segments.
    private static func parts(_ path: Substring) -> [Substring] { path.split(separator: "/") }
}
