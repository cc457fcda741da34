internal import HTTPTypes
internal import Hummingbird

/// Removes the body from responses to HEAD requests, including errors. Clients would take a body for the start of the
/// next response (RFC 9110, section 9.3.2).
struct HeadResponder<Base: HTTPResponder>: HTTPResponder where Base.Context: RequestContext {
    let base: Base

    @concurrent func respond(to request: Request, context: Base.Context) async throws -> Response {
        guard request.method == .head else { return try await base.respond(to: request, context: context) }
        let response: Response
        do {
            response = try await base.respond(to: request, context: context)
        } catch let error as any HTTPResponseError {
            response = try error.response(from: request, context: context)
        }
        return response.createHeadResponse()
    }
}
