internal import LedgerServices
internal import Ledger
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// Says which path leads where.
enum ServerRoutes {
    /// Answers every request.
    static func responder(_ core: ServerCore) -> some HTTPResponder<ServerContext> {
        let authorization = Authorization(core)
        let base = TimedResponder(
            base: router(core, authorization).buildResponder(), watch: core.watch,
            failures: FailureMiddleware(logger: core.logger))
        return CustomerShortcut(base: base, core, authorization)
    }

    static func router(_ core: ServerCore, _ authorization: Authorization) -> Router<ServerContext> {
        let router = Router(context: ServerContext.self)
        router.addMiddleware {
            RequestMiddleware(core)
            FailureMiddleware(logger: core.logger)
            BodyLimit(core)
            KnownParameters()
        }
        OperationsRoutes.add(to: router, core)
        router.get("/openapi.yaml") { _, _ in APIDescription.response }
        NotificationRoutes.add(to: router, core)
        VerifyReceiptRoutes.add(to: router, core)
        RetentionRoutes.add(to: router, core)
        SessionRoutes.add(to: router, core, authorization)
        // Everything below /v1 needs a key.
        let v1 = router.group("/v1").add(middleware: authorization).add(middleware: IdempotencyMiddleware(core))
        CustomerRoutes.add(to: v1, core)
        RecoveryRoutes.add(to: v1, core)
        TimelineRoutes.add(to: v1, core)
        ExplanationRoutes.add(to: v1, core)
        InboxRoutes.add(to: v1, core)
        LookupRoutes.add(to: v1, core)
        WebhookRoutes.add(to: v1, core)
        PurchaseRoutes.add(to: v1, core)
        MergeRoutes.add(to: v1, core)
        ConsumptionRoutes.add(to: v1, core)
        OfferRoutes.add(to: v1, core)
        GrantRoutes.add(to: v1, core)
        ErasureRoutes.add(to: v1, core)
        SubscriptionRoutes.add(to: v1, core)
        EventRoutes.add(to: v1, core)
        UnclaimedRoutes.add(to: v1, core)
        SegmentRoutes.add(to: v1, core)
        KeyRoutes.add(to: v1, core)
        SupportRoutes.add(to: v1, core)
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
        do { return try await next(request, context) } catch let error as HTTPParserError {
            // What is no HTTP is answered, and the connection closed, by who reads it.
            throw error
        } catch {
            return response(to: error, request, context)
        }
    }

    /// What is answered when a request fails.
    func response(to error: any Error, _ request: Request, _ context: ServerContext) -> Response {
        let failure = Self.failure(error)
        // Who gave it up says why, if that was not the client.
        if failure.status.code >= 500, !(error is CancellationError) { log(error, context) }
        return failure.response(from: request, context: context)
    }

    /// Says why a request failed here. The route, since the path names customers.
    func log(_ error: any Error, _ context: ServerContext) {
        logger.error(
            "request failed",
            metadata: [
                "request": "\(context.requestID)", "route": "\(context.route)", "reason": "\(error.logReason)",
            ])
    }

    private static func failure(_ error: any Error) -> APIFailure {
        switch error {
        case let failure as APIFailure: failure
        case let failure as ServiceFailure: APIFailure(failure)
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
        case is NIOTooManyBytesError:
            APIFailure(.contentTooLarge, "too_large", "The request is larger than this server takes.")
        case is CancellationError:
            APIFailure(.serviceUnavailable, "cancelled", "The request was given up.", isRetryable: true, backoff: 1000)
        case is ChannelError, is IOError:
            APIFailure(.badRequest, "connection_lost", "The request did not come to its end.", isRetryable: true)
        default:
            APIFailure(.internalServerError, "internal_error", "Something went wrong here.", isRetryable: true)
        }
    }
}
