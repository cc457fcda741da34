internal import Ledger
internal import WebConsole
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore

/// The API as the console asks it: the same routes, with the scopes of the key that somebody signed in with. There is no
/// second way to do anything; what the API does not say, such as the periods of a customer and the state of the process, is read
/// from where the API reads.
struct ConsoleAPI: Sendable {
    /// What the API answered.
    struct Answer: Sendable {
        var status: Int
        var json: APIValue
        var isFine: Bool { status < 300 }
        /// Why it is an error, for programs.
        var code: String? { json["code"].text }
        /// Why it is an error, with the name of the field that it is about. What is in the path is no field.
        var message: String {
            let message = json["message"].text ?? "The API answered \(status)."
            guard let field, !["id", "name"].contains(field), !message.contains(field) else {
                return message
            }
            return "\(field): \(message)"
        }

        /// The name of the field that it is about.
        var field: String? { json["param"].text }

        /// The answer, unless it is an error.
        func orFailure() throws(APIFailure) -> Answer {
            guard !isFine else { return self }
            throw failure
        }

        /// The answer, which is an error.
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

    /// Asks the API for somebody.
    func call(
        _ method: HTTPRequest.Method, _ target: String, body: Data? = nil, for context: ServerContext
    ) async throws -> Answer {
        try await Answer(response(method, target, body: body, for: context))
    }

    /// The answer as it is, for somebody who wants the file.
    func response(
        _ method: HTTPRequest.Method, _ target: String, body: Data? = nil, for context: ServerContext
    ) async throws -> Response {
        var head = HTTPRequest(method: method, scheme: nil, authority: nil, path: target)
        if let body { head.headerFields[.contentLength] = String(body.count) }
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body ?? Data())))
        return try await respond(request, ServerContext(asking: context))
    }
}
