internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import WebConsole

/// Adds a request ID to responses of the control API, and answers unknown paths and methods, and requests during the
/// start, with its error format.
struct ControlMiddleware: RouterMiddleware {
    typealias Context = SimulatorContext

    private static let requestID = HTTPField.Name("x-request-id")

    @concurrent func handle(_ request: Request, context: SimulatorContext, next: NextHandler) async throws -> Response {
        // Split the path as the router does.
        let first = request.uri.path.split(separator: "/").first ?? ""
        guard first == "simulator" else { return try await next(request, context) }
        var response: Response
        do { response = try await next(request, context) } catch let error as any HTTPResponseError {
            guard let answer = Self.answer(to: error.status, at: request.uri.path) else { throw error }
            response = try await SimulatorRoutes.send(answer, context)
        }
        if let name = Self.requestID { response.headers[name] = context.requestID }
        return response
    }

    private static let methods: AllowedMethods = {
        let methods = AllowedMethods()
        methods.setRoutes(ControlRoutes.operations.map { ("/simulator" + $0.path, $0.method.rawValue) })
        return methods
    }()

    private static func answer(to status: HTTPResponse.Status, at path: String) -> SimulatorResponse? {
        switch status {
        case .notFound:
            let allowed = methods.allowed(at: path)
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
}

extension SimulatorContext {
    /// The request ID that log messages contain.
    fileprivate var requestID: String { logger[metadataKey: "hb.request.id"]?.description ?? "none" }
}
