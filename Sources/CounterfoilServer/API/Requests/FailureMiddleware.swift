internal import AppStoreServer
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import WebConsole

/// Converts every failure to the error format of the API.
struct FailureMiddleware: RouterMiddleware {
    let logger: Logger
    let methods: AllowedMethods
    /// Limits the log lines of each route; nil logs all. While the disk is full, every notification fails.
    var logMeters: RateMeters?

    @concurrent func handle(_ request: Request, context: ServerContext, next: NextHandler) async throws -> Response {
        do { return try await next(request, context) } catch let error as HTTPParserError {
            // The HTTP server itself answers malformed HTTP, and closes the connection.
            throw error
        } catch {
            return response(to: error, request, context)
        }
    }

    /// Returns the response to a failed request.
    private func response(to error: any Error, _ request: Request, _ context: ServerContext) -> Response {
        let failure = methods.failure(of: request, after: error) ?? Self.failure(error)
        // Do not log cancellations: the code that cancels a request logs the reason, unless the client disconnected.
        if failure.status.code >= 500, !(error is CancellationError),
            logMeters?[context.route]?.take(at: RateMeter.now) == nil
        {
            Self.log(error, context, to: logger)
        }
        return failure.response(from: request, context: context)
    }

    /// Logs a failed request. Names the route, since the path contains customers.
    static func log(_ error: any Error, _ context: ServerContext, to logger: Logger) {
        logger.error(
            "request failed",
            metadata: [
                "request": "\(context.requestID)", "route": "\(context.route)", "reason": "\(error.logReason)",
            ])
    }

    static func failure(_ error: any Error) -> APIFailure {
        switch error {
        case let failure as APIFailure: failure
        case let failure as ServiceFailure: APIFailure(failure)
        case let error as AppStoreServerError: APIFailure(namingRejectionOf: error)
        case let error as SigningError where error.isOfRequest:
            APIFailure("\(error.code)", error.message, parameter: error.member)
        case is SigningError:
            // Only the log has the reason: it may name a file of the server.
            APIFailure(
                .internalServerError, "signing_failed", "The server could not sign; its log has the reason.",
                isRetryable: true)
        case let error as StorageError: APIFailure(error)
        case let error as HTTPError where error.status == .notFound:
            APIFailure.notFound("Unknown path; see /openapi.yaml.")
        case let error as HTTPError where error.status == .contentTooLarge: .tooLarge
        case let error as HTTPError:
            APIFailure(
                error.status, error.status.code < 500 ? "invalid_request" : "internal_error",
                error.body ?? error.status.reasonPhrase, isRetryable: error.status.code >= 500)
        case is CancellationError:
            APIFailure(.serviceUnavailable, "cancelled", "The request was cancelled.", isRetryable: true, backoff: 1000)
        case is ChannelError, is IOError:
            APIFailure(
                .badRequest, "connection_lost", "The connection closed before the request was complete.",
                isRetryable: true)
        default:
            APIFailure(.internalServerError, "internal_error", "Internal error.", isRetryable: true)
        }
    }
}

extension SigningError {
    /// Whether the request caused the error: one of its identifiers cannot be signed. Keys and the clock are the
    /// server's.
    var isOfRequest: Bool { code == .invalidIdentifier }

    /// The member of the request that has the invalid identifier.
    fileprivate var member: String? {
        switch identifier {
        case "product ID": "product_id"
        case "offer ID": "offer_id"
        case "transaction ID": "transaction_id"
        default: nil
        }
    }
}

extension AllowedMethods {
    /// Returns the failure to answer to a request for which the router found no route, if the path has other methods.
    func failure(of request: Request, after error: any Error) -> APIFailure? {
        guard let error = error as? HTTPError, error.status == .notFound else { return nil }
        let allowed = allowed(at: request.uri.path)
        guard !allowed.isEmpty else { return nil }
        var failure = APIFailure(
            .methodNotAllowed, "method_not_allowed", "This path accepts \(allowed.joined(separator: ", ")).")
        failure.allowed = allowed
        return failure
    }
}
