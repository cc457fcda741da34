internal import HTTPTypes
internal import Hummingbird
internal import Logging

/// Says which path leads where.
enum ServerRoutes {
    static func router(_ core: ServerCore) -> Router<ServerContext> {
        let router = Router(context: ServerContext.self)
        router.addMiddleware {
            RequestMiddleware(core)
            FailureMiddleware(logger: core.logger)
        }
        OperationsRoutes.add(to: router, core)
        NotificationRoutes.add(to: router, core)
        // Everything below /v1 needs a key.
        let v1 = router.group("/v1").add(middleware: Authorization(core))
        CustomerRoutes.add(to: v1, core)
        return router
    }
}

/// Gives every failure the shape that the API promises.
struct FailureMiddleware: RouterMiddleware {
    let logger: Logger

    @concurrent func handle(
        _ request: Request, context: ServerContext,
        next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        do { return try await next(request, context) } catch {
            let failure = Self.failure(error)
            if failure.status.code >= 500 {
                // The route, since the path names customers.
                logger.error(
                    "request failed",
                    metadata: [
                        "request": "\(context.requestID)", "route": "\(context.route)",
                        "reason": "\(Self.reason(error))",
                    ])
            }
            return failure.response(from: request, context: context)
        }
    }

    /// What decoders say may quote what they read.
    private static func reason(_ error: any Error) -> String {
        error is DecodingError || error is EncodingError ? "\(type(of: error))" : String("\(error)".prefix(500))
    }

    private static func failure(_ error: any Error) -> APIFailure {
        switch error {
        case let failure as APIFailure: failure
        case let error as StorageError:
            APIFailure(
                .serviceUnavailable, error.code.rawValue, "The ledger cannot be used at the moment.",
                isRetryable: true, backoff: 5000)
        case let error as HTTPError where error.status == .notFound:
            APIFailure(.notFound, "not_found", "There is nothing here; /openapi.yaml lists what there is.")
        case let error as HTTPError where error.status == .contentTooLarge:
            APIFailure(.contentTooLarge, "too_large", "The request is larger than this server takes.")
        case let error as HTTPError:
            APIFailure(
                error.status, error.status.code < 500 ? "invalid_request" : "internal_error",
                error.body ?? error.status.reasonPhrase, isRetryable: error.status.code >= 500)
        default:
            APIFailure(.internalServerError, "internal_error", "Something went wrong here.", isRetryable: true)
        }
    }
}
