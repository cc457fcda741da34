internal import Basics
internal import HTTPTypes

/// Knows which methods a path takes, for who uses another one (RFC 9110, section 15.5.6).
final class AllowedMethods: Sendable {
    private struct Route {
        var parts: [Substring]
        var method: String

        /// Whether a path is of this route: `{id}` stands for anything.
        func takes(_ path: [Substring]) -> Bool {
            parts.count == path.count && zip(parts, path).allSatisfy { $0.hasPrefix("{") ? !$1.isEmpty : $0 == $1 }
        }
    }

    private let routes = Live<[Route]>([])

    /// Learns the routes, once there are all of them.
    func take(_ all: [(path: String, method: String)]) {
        routes.replace(with: all.map { Route(parts: Self.parts($0.path[...]), method: $0.method) })
    }

    /// The methods, in the order of the alphabet; none where there is no such path.
    func allowed(at path: some StringProtocol) -> [String] {
        guard path.utf8.count <= 2048 else { return [] }
        let parts = Self.parts(Substring(path))
        return Set(routes.current.filter { $0.takes(parts) }.map(\.method)).sorted()
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
