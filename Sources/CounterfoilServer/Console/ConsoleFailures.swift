internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import NIOCore
internal import NIOHTTP1
internal import WebConsole

/// Answers errors with a page.
struct ConsoleFailures: RouterMiddleware {
    let console: Console
    let methods: AllowedMethods

    @concurrent func handle(_ request: Request, context: ServerContext, next: NextHandler) async throws -> Response {
        do { return try await next(request, context) } catch let error as HTTPParserError {
            // The HTTP server answers invalid HTTP and closes the connection.
            throw error
        } catch {
            guard let failure = methods.failure(of: request, after: error) else {
                return console.response(to: error, request, context)
            }
            var response = console.response(to: failure, request, context)
            response.headers[.allow] = failure.allowed.joined(separator: ", ")
            return response
        }
    }
}

extension Console {
    /// Returns the error page, or only its text for the script of an open page.
    func response(to error: any Error, _ request: Request, _ context: ServerContext) -> Response {
        let isRefetch = ConsoleRoutes.isRefetch(request)
        if let required = error as? SignIn.Required, !isRefetch {
            let back = required.back?.description ?? (request.method == .get ? request.uri.description : nil)
            return .seeOther(PageLink(["console", "sign-in"], query: back.map { [("return", $0)] } ?? []))
        }
        let page = page(for: error, context)
        guard isRefetch else { return page.response(to: request, context, self) }
        var headers = ConsoleHeaders.all
        headers[.contentType] = "text/plain; charset=utf-8"
        return Response(
            status: page.status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: page.text)))
    }

    private func page(for error: any Error, _ context: ServerContext) -> ErrorPage {
        switch error {
        case is SignIn.Required:
            return ErrorPage("Sign in", "The session has ended.", code: "unauthorized", .unauthorized)
        case let problem as FormFields.Problem where problem == .tooLarge:
            return self.page(for: APIFailure.tooLarge, context)
        case is FormFields.Problem:
            return ErrorPage("Refused", "This is not a form of this server.", code: "bad_form", .badRequest)
        case is ChannelError, is IOError:
            return ErrorPage(
                "Refused", "The connection closed before the form was complete.", code: "connection_lost", .badRequest)
        case let failure as APIFailure:
            let title = failure.status.code < 500 ? "Refused" : "Not available"
            return ErrorPage(title, failure.message, code: failure.code, failure.status)
        case let error as HTTPError where error.status == .notFound:
            return ErrorPage("Not found", "There is no such page.", code: "not_found", .notFound)
        case is CancellationError:
            return ErrorPage("Not available", "The request was cancelled.", code: "cancelled", .serviceUnavailable)
        case let error as StorageError:
            FailureMiddleware.log(error, context, to: logger)
            let message =
                error.code == .unconfirmed
                ? "The change may be stored: look whether it is before you repeat it."
                : "The ledger cannot be used now."
            return ErrorPage("Not available", message, code: error.code.rawValue, .serviceUnavailable)
        default:
            FailureMiddleware.log(error, context, to: logger)
            return ErrorPage(
                "Failed", "An internal error occurred; the log has the details.", code: "failed", .internalServerError)
        }
    }
}
