internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// Adds all routes to the router, with their dependencies.
enum ServerRoutes {
    /// Returns the responder for all requests.
    static func responder(_ core: ServerCore) -> some HTTPResponder<ServerContext> {
        let methods = AllowedMethods()
        let router = router(core, methods)
        methods.setRoutes(router.routes.map { ($0.path.description, $0.method.rawValue) })
        return router.buildResponder()
    }

    static func router(_ core: ServerCore, _ methods: AllowedMethods = AllowedMethods()) -> Router<ServerContext> {
        let (listen, limits, logger) = (core.configuration.listen, core.configuration.limits, core.logger)
        let authorization = Authorization(
            access: core.access, perSecond: limits.requestsPerSecondOfCustomer, now: core.clock.now)
        let resolver = RequestResolver(apps: core.apps, scopes: core.scopes)
        let router = Router(context: ServerContext.self, options: .autoGenerateHeadEndpoints)
        router.addMiddleware {
            RequestMiddleware(logger: logger, requests: core.requests, spans: core.metrics.spans)
            FailureMiddleware(logger: logger, methods: methods, logMeters: RateMeters(perSecond: 5))
            RequestTimeLimit(watch: core.watch)
            BodyLimit(bytes: limits.requestBytes, budget: core.bodies, listen: listen)
            KnownParameters()
        }
        OperationsRoutes(
            readiness: core.readiness, recorded: core.metrics, logger: logger,
            access: LocalOrAuthorized(authorization: authorization, listen: listen), audit: core.requestAudit
        ).add(to: router)
        router.get("/openapi.yaml") { _, _ in APIDescription.response }
        NotificationRoutes(
            ingest: core.ingest, version1: core.notificationsV1, recovery: core.recovery, refusals: core.refusals,
            listen: listen, metrics: core.metrics, clock: core.clock, logger: logger
        ).add(to: router)
        VerifyReceiptRoutes(service: core.verifyReceipt, apps: core.apps, limits: limits, listen: listen)
            .add(to: router)
        RetentionRoutes(verifier: core.verifier, logger: logger).add(to: router)
        // Everything below /v1 needs a key.
        let auditUnauthorized = AuditUnauthorizedMiddleware(audit: core.requestAudit)
        SessionRoutes(
            purchaseVerifier: core.purchaseVerifier, authorization: authorization, resolver: resolver, listen: listen,
            clock: core.clock, audit: core.requestAudit
        ).add(to: router.group().add(middleware: auditUnauthorized))
        let v1 = router.group("/v1").addMiddleware {
            auditUnauthorized
            authorization
        }
        addAPI(to: v1, core)
        return router
    }

    /// Adds the routes below `/v1` to a group that authenticates requests.
    static func addAPI(to group: RouterGroup<ServerContext>, _ core: ServerCore) {
        let responseWriter = CustomerResponseWriter(apps: core.apps, clock: core.clock)
        let v1 = APIRouter(
            group: group, resolver: RequestResolver(apps: core.apps, scopes: core.scopes),
            idempotency: { scope in
                IdempotencyMiddleware(
                    scope: scope, storage: core.storage, clock: core.clock, limits: core.configuration.limits,
                    responseWriter: responseWriter)
            }, audit: AuditMiddleware(audit: core.requestAudit))
        let (storage, apps, clock, webhooks) = (core.storage, core.apps, core.clock, core.webhooks)
        let customers = core.customers
        CustomerRoutes(customers: customers, responseWriter: responseWriter).add(to: v1)
        RecoveryRoutes(storage: storage, recovery: core.recovery, clients: core.clients).add(to: v1)
        TimelineRoutes(storage: storage, customers: customers, scopes: core.scopes, historical: core.historical)
            .add(to: v1)
        ClaimRoutes(storage: storage).add(to: v1)
        ExplanationRoutes(customers: customers, apps: apps).add(to: v1)
        InboxRoutes(
            storage: storage, scopes: core.scopes, historical: core.historical, processor: core.processor, clock: clock
        ).add(to: v1)
        WebhookRoutes(webhooks: webhooks, storage: storage, apps: apps, scopes: core.scopes, clock: clock).add(to: v1)
        PurchaseRoutes(
            purchaseVerifier: core.purchaseVerifier, restores: core.restores, responseWriter: responseWriter,
            maximumBytes: core.configuration.limits.requestBytes
        ).add(to: v1)
        MergeRoutes(claims: storage, customers: customers, responseWriter: responseWriter, webhooks: webhooks).add(
            to: v1)
        TransferRoutes(storage: storage, customers: customers, responseWriter: responseWriter, webhooks: webhooks).add(
            to: v1)
        ConsumptionRoutes(storage: storage, consumption: core.consumption, clock: clock).add(to: v1)
        OfferRoutes(customers: customers, offers: core.offers).add(to: v1)
        GrantRoutes(storage: storage, apps: apps, webhooks: webhooks, clock: clock).add(to: v1)
        ErasureRoutes(storage: storage, clock: clock).add(to: v1)
        SubscriptionRoutes(storage: storage, customers: customers, apps: apps, clock: clock).add(to: v1)
        EventRoutes(events: core.events, storage: storage, changes: core.changes, access: core.access).add(to: v1)
        UnclaimedRoutes(storage: storage, apps: apps, clock: clock).add(to: v1)
        SegmentRoutes(storage: storage, customers: customers, apps: apps, clock: clock).add(to: v1)
        KeyRoutes(apps: apps).add(to: v1)
        let appStore = AppStoreQueries(
            clients: core.clients, historical: core.historical, storage: storage, histories: core.histories,
            webhooks: webhooks, clock: clock)
        LookupRoutes(appStore: appStore).add(to: v1)
        SendAttemptRoutes(
            storage: storage, scopes: core.scopes, appStore: appStore, settings: core.configuration.recovery
        ).add(to: v1)
        SupportRoutes(appStore: appStore, customers: customers, logger: core.logger).add(to: v1)
        DeliveryRoutes(webhooks: webhooks, storage: storage, scopes: core.scopes, clock: clock).add(to: v1)
        AuditRoutes(audit: core.audit, storage: storage).add(to: v1)
        ServerStateRoutes(
            settings: core.settings, access: core.access, sessions: core.sessions, health: { await core.healthParts() }
        ).add(to: v1)
        MetricRoutes(history: core.history, metrics: core.metrics).add(to: v1)
        SearchRoutes(storage: storage, scopes: core.scopes).add(to: v1)
        DecodeRoutes(decoder: core.decoder, webhooks: webhooks, storage: storage, scopes: core.scopes).add(to: v1)
    }
}
