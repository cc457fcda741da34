internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import WebConsole

/// Calls the API from the console: the same routes, with the scopes of the key of the session. All changes go through
/// the API. Data that the API does not return, such as the latest events of all customers, is read from the same
/// services.
struct ConsoleAPI: Sendable {
    /// A response of the API.
    struct APIResponse: Sendable {
        var status: Int
        var json: APIValue
        var isSuccess: Bool { status < 300 }
        /// The error code.
        var code: String? { json["code"].text }
        /// The error message, with the name of the field that it is about. `id` and `name` are path parameters, not
        /// fields.
        var message: String {
            let message = json["message"].text ?? "The API answered \(status)."
            guard let field, !["id", "name"].contains(field), !message.contains(field) else { return message }
            return "\(field): \(message)"
        }

        /// The name of the field that the error is about.
        var field: String? { json["param"].text }

        /// Returns the response, or throws if it is an error.
        func orFailure() throws(APIFailure) -> APIResponse {
            guard !isSuccess else { return self }
            throw failure
        }

        /// The error of a failed response.
        var failure: APIFailure { APIFailure(.init(code: status), code ?? "failed", message, parameter: field) }

        init(_ response: Response) async throws {
            let collector = BodyCollector()
            try await response.body.write(collector)
            status = response.status.code
            json = APIValue(json: Data(collector.buffer.readableBytesView))
        }
    }

    private let respond: @Sendable (Request, ServerContext) async throws -> Response

    init(_ core: ServerCore) {
        let router = Router(context: ServerContext.self)
        router.addMiddleware {
            FailureMiddleware(logger: core.logger, methods: AllowedMethods())
            BodyLimit(
                bytes: core.configuration.limits.requestBytes, budget: core.bodies, listen: core.configuration.listen)
            KnownParameters()
        }
        ServerRoutes.addAPI(to: router.group("/v1"), core)
        let responder = router.buildResponder()
        respond = { try await responder.respond(to: $0, context: $1) }
    }

    /// Calls the API with the key of a session.
    func call(
        _ method: HTTPRequest.Method, _ target: String, body: Data? = nil, for context: ServerContext
    ) async throws -> APIResponse {
        try await APIResponse(response(method, target, body: body, for: context))
    }

    /// Calls the API and returns the response unread, for downloads.
    func response(
        _ method: HTTPRequest.Method, _ target: String, body: Data? = nil, for context: ServerContext
    ) async throws -> Response {
        var head = HTTPRequest(method: method, scheme: nil, authority: nil, path: target)
        if let body { head.headerFields[.contentLength] = String(body.count) }
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body ?? Data())))
        return try await respond(request, ServerContext(forConsoleRequestIn: context))
    }
}
