internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging

/// Adds a request ID to responses of the control API, and answers unknown paths and methods, and requests during the
/// start, with its error format.
struct ControlMiddleware: RouterMiddleware {
    typealias Context = SimulatorContext

    private static let requestID = HTTPField.Name("x-request-id")

    @concurrent func handle(_ request: Request, context: SimulatorContext, next: NextHandler) async throws -> Response {
        // Split the path as the router does.
        let segments = request.uri.path.split(separator: "/").map(String.init)
        guard segments.first == "simulator" else { return try await next(request, context) }
        var response: Response
        do { response = try await next(request, context) } catch let error as HTTPError {
            guard let answer = Self.answer(to: error, segments.dropFirst()) else { throw error }
            response = try await SimulatorRoutes.send(answer, context)
        }
        if let name = Self.requestID { response.headers[name] = context.requestID }
        return response
    }

    private static func answer(to error: HTTPError, _ segments: ArraySlice<String>) -> SimulatorResponse? {
        switch error.status {
        case .notFound:
            let allowed = methods(at: segments)
            guard !allowed.isEmpty else {
                return ControlFailure(
                    404, "not_found", "there is no such path; /simulator/openapi.yaml lists all paths"
                ).response
            }
            let names = allowed.joined(separator: ", ")
            var answer = ControlFailure(405, "method_not_allowed", "the methods of this path are \(names)").response
            answer.headers.append(("Allow", names))
            return answer
        case .serviceUnavailable:
            return ControlFailure(503, "starting", "the simulator is starting; repeat the request in a moment")
                .response
        case .contentTooLarge: return ControlFailure(413, "too_large", "the body is too large").response
        default: return nil
        }
    }

    /// Returns the methods of the operations at a path below `/simulator`.
    private static func methods(at segments: ArraySlice<String>) -> [String] {
        let found = ControlRoutes.operations.filter { operation in
            let parts = operation.path.split(separator: "/")
            return parts.count == segments.count
                && zip(parts, segments).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
        let methods = Set(found.map(\.method.rawValue))
        // The router adds HEAD to each route with GET.
        return (methods.contains("GET") ? methods.union(["HEAD"]) : methods).sorted()
    }
}

extension SimulatorContext {
    /// The request ID that log messages contain.
    fileprivate var requestID: String { logger[metadataKey: "hb.request.id"]?.description ?? "none" }
}
