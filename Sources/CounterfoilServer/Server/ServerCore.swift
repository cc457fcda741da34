internal import Basics
package import Ledger
internal import AppStoreModels
package import LedgerServices
package import AppStoreServer
internal import AppStoreTrust
package import CoreMetrics
package import Foundation
package import Logging
package import Tracing
internal import WebConsole

/// The services of a server, put together, before there is a port: what the routes are made with.
package struct ServerCore: Sendable {
    /// What the server goes by, as it was read last: see ``Server/reload(_:)``.
    package var configuration: ServerConfiguration {
        _read { yield settings.current }
    }
    let settings: Live<ServerConfiguration>
    /// Who may ask.
    let access: Live<AccessTable>
    package let storage: any LedgerEngine
    package let apps: Apps
    package let scopes: ScopeRegistry
    package let clock: ServerClock
    package let logger: Logger
    package let metrics: ServerMetrics
    /// The metrics of the last hour.
    let history = MetricHistory()
    /// The App Store, for the scopes that are served and whose app has a key.
    package let clients: [Int64: AppStoreServerClient]

    // MARK: Proofs

    /// Judges what arrives now.
    package let verifier: SignedDataVerifier
    /// Judges what was signed earlier.
    package let historical: SignedDataVerifier
    /// What neither verifies again.
    package let signatures = ProvenSignatures()
    package let prover: PurchaseProver

    // MARK: Services

    package let writer: LedgerWriter
    package let processor: NotificationProcessor
    package let ingest: Ingest
    package let histories: AccountHistories
    package let recovery: Recovery
    package let customers: CustomerReader
    package let restores: RestoreService
    package let consumption: ConsumptionService
    package let verifyReceipt: VerifyReceiptService
    package let notificationsV1: NotificationV1Receiver
    package let grantExpiry: GrantExpiryService
    package let webhooks: WebhookDispatcher
    /// What webhooks tell, for who asks.
    package let events: EventFeed
    package let refusals: RefusalLog
    /// Who did what.
    package let audit: AuditLog
    /// Notes requests in it.
    var requestAudit: RequestAudit { RequestAudit(log: audit, clock: clock, settings: settings) }
    /// Who is signed in to the console.
    let sessions = SessionStore()
    /// Says to open pages and to programs what has changed.
    let changes = EventHub()
    /// Reads what people paste.
    let decoder: PastedDataDecoder

    // MARK: Requests

    /// Knows which requests take too long.
    package let watch: RequestWatch
    package let readiness: Readiness
    package let requests: RequestMetrics
    /// Counts the request bodies in memory.
    let bodies: BodyBudget

    /// The server's time.
    package var now: Date { clock.now() }

    package init(
        _ configuration: ServerConfiguration, storage: any LedgerEngine, clock: ServerClock, logger: Logger,
        metrics factory: any MetricsFactory = PrometheusMetrics(), tracer: any Tracer = NoOpTracer()
    ) async throws {
        settings = Live(configuration)
        access = Live(AccessTable(configuration))
        self.storage = storage
        self.clock = clock
        self.logger = logger
        apps = Apps(configuration.apps)
        metrics = ServerMetrics(factory, tracer: tracer)
        requests = RequestMetrics(factory)
        scopes = try await storage.scopes(of: Self.environments(configuration))
        clients = try Self.clients(configuration, scopes, logger)

        verifier = try Self.verifier(configuration, validAt: configuration.trust.validAt, clock, metrics)
            .remembering(signatures)
        historical = verifier.validating(at: .signingDate)
        prover = PurchaseProver(
            apps: apps, receiptAnchors: configuration.trust.receiptAnchors, verifier: historical, clock: clock)

        let renderer = EventRenderer(
            storage: storage, scopes: scopes, verifier: historical, apps: apps, logger: logger)
        let webhooks = try await WebhookDispatcher(
            configuration.webhooks, storage: storage, scopes: scopes, renderer: renderer, clock: clock, logger: logger,
            metrics: metrics)
        self.webhooks = webhooks
        events = EventFeed(storage, renderer)
        writer = LedgerWriter(storage, metrics: metrics, folded: webhooks.wake)
        processor = NotificationProcessor(
            storage: storage, writer: writer, verifier: historical, scopes: scopes, now: clock.now, logger: logger,
            metrics: metrics)
        ingest = Ingest(
            live: verifier, historical: historical, scopes: scopes, writer: writer, processor: processor,
            clock: clock, metrics: metrics)
        histories = AccountHistories(
            storage: storage, verifier: historical, clients: clients, clock: clock, logger: logger,
            patience: min(configuration.limits.requestTime / 2, .seconds(10)))
        recovery = try await Recovery(
            storage: storage, ingest: ingest, histories: histories, scopes: scopes, clients: clients,
            settings: configuration.recovery, clock: clock, logger: logger)
        customers = CustomerReader(
            storage: storage, apps: apps, scopes: scopes, verifier: historical, clock: clock)
        restores = RestoreService(
            storage: storage, apps: apps, customers: customers, histories: histories, clock: clock,
            wakeWebhooks: webhooks.wake)
        consumption = ConsumptionService(
            storage: storage, apps: apps, scopes: scopes, clients: clients, clock: clock, logger: logger)
        verifyReceipt = VerifyReceiptService(
            storage: storage, apps: apps, scopes: scopes, prover: prover, histories: histories, logger: logger)
        notificationsV1 = NotificationV1Receiver(
            storage: storage, apps: apps, scopes: scopes, prover: prover, clock: clock, logger: logger)
        grantExpiry = GrantExpiryService(storage: storage, clock: clock, logger: logger, wakeWebhooks: webhooks.wake)
        refusals = RefusalLog(
            storage,
            keeping: .init(count: configuration.storage.refusedKept, bytes: configuration.storage.refusedBytes))

        audit = AuditLog(storage, now: clock.now, logger: logger)
        decoder = try PastedDataDecoder(configuration, apps, clock)

        watch = RequestWatch(limit: configuration.limits.requestTime)
        readiness = Readiness(check: { try await storage.checkWritable() })
        bodies = BodyBudget(configuration.limits)
        addGauges()
    }

    /// Signs the offers of an app in an environment.
    func offers(_ scope: Scope) -> OfferService {
        OfferService(
            storage: storage, apps: apps, customers: customers, histories: histories, prover: prover, clock: clock,
            scope: scope)
    }

    /// Brings in customers from elsewhere.
    ///
    /// - Parameter scopes: Where a transaction whose environment is not known is looked for, in order.
    package func importer(_ scopes: [Scope]) -> Importer {
        Importer(histories, anchors: configuration.trust.receiptAnchors, clock: clock, scopes: scopes)
    }

    /// The apps and environments of a configuration, in one order.
    static func environments(_ configuration: ServerConfiguration) -> [(bundleID: String, environment: String)] {
        configuration.apps.flatMap { app in
            app.environments.map { (bundleID: app.bundleID, environment: $0.rawValue) }
        }.sorted { ($0.bundleID, $0.environment) < ($1.bundleID, $1.environment) }
    }

    /// Says which roots end soon.
    func warnOfRoots() {
        for root in configuration.trust.endingRoots(at: now) {
            logger.warning(
                "a root certificate ends soon, and what it signs is not accepted then",
                metadata: ["root": "\(root.name)", "ends": "\(root.date.formatted(.iso8601))"])
        }
    }

    /// What is read from the ledger when somebody asks for the metrics.
    private func addGauges() {
        let (storage, clock) = (storage, clock)
        @Sendable func age(_ oldest: Milliseconds?) -> Double {
            oldest.map { max(0, clock.now().timeIntervalSince(Date(milliseconds: $0))) } ?? 0
        }
        metrics.addGauge(.inboxBacklog) { await Self.backlog(storage).map { [([], Double($0.count))] } ?? [] }
        metrics.addGauge(.inboxAge) { await Self.backlog(storage).map { [([], age($0.oldest))] } ?? [] }
        metrics.addGauge(.ledgerLog) { storage.logBytes.map { [([], Double($0))] } ?? [] }
        let roots = configuration.trust.roots
        metrics.addGauge(.rootExpiry) { roots.map { ([("root", $0.name)], $0.date.timeIntervalSince1970) } }
        let (recovery, webhooks, bodies, requests) = (recovery, webhooks, bodies, requests)
        // Weakly: these record their own metrics, and a server that was stopped must leave nothing.
        metrics.addGauge(.requestsUnderWay) { [([], Double(requests.underWay))] }
        metrics.addGauge(.bodies) { [([], Double(bodies.bytes))] }
        metrics.addGauge(.completeness) { [weak recovery] in
            (recovery?.completenessAges() ?? []).compactMap { scope, age in
                age.map { ([("app", scope.bundleID), ("environment", scope.environment.rawValue)], $0) }
            }
        }
        metrics.addGauge(.recoveryFailures) { [weak recovery] in
            (recovery?.failuresInARow() ?? []).map { scope, count in
                ([("app", scope.bundleID), ("environment", scope.environment.rawValue)], Double(count))
            }
        }
        metrics.addGauge(.webhookBacklog) { [weak webhooks] in
            await Self.backlog(webhooks).map { [([], Double($0.deliveries))] } ?? []
        }
        metrics.addGauge(.disabledWebhooks) { [weak webhooks] in
            await Self.backlog(webhooks).map { [([], Double($0.disabledEndpoints))] } ?? []
        }
        metrics.addGauge(.webhookAge) { [weak webhooks] in
            await Self.backlog(webhooks).map { [([], age($0.oldest))] } ?? []
        }
    }

    /// Nothing while the ledger cannot be read, which its own metrics and the health routes tell.
    private static func backlog(_ storage: any LedgerStorage) async -> (count: Int, oldest: Milliseconds?)? {
        do { return try await storage.backlog() } catch { return nil }
    }

    private static func backlog(_ webhooks: WebhookDispatcher?) async -> WebhookBacklog? {
        // As above.
        do { return try await webhooks?.webhookBacklog() } catch { return nil }
    }

    static func verifier(
        _ configuration: ServerConfiguration, validAt: ValidationInstant, _ clock: ServerClock,
        _ metrics: ServerMetrics = ServerMetrics(PrometheusMetrics())
    ) throws -> SignedDataVerifier {
        var options = SignedDataVerifier.Configuration(apps: configuration.acceptedApps)
        options.anchors = configuration.trust.anchors
        options.validAt = validAt
        options.now = clock.now
        if configuration.trust.revocation != .off {
            var revocation = RevocationOptions(policy: configuration.trust.revocation)
            revocation.transport = MeasuredRevocation(revocation.transport, metrics: metrics)
            revocation.allowedHosts.formUnion(configuration.trust.revocationHosts)
            options.revocation = revocation
        }
        return try SignedDataVerifier(options)
    }

    private static func clients(
        _ configuration: ServerConfiguration, _ scopes: ScopeRegistry, _ logger: Logger
    ) throws -> [Int64: AppStoreServerClient] {
        var clients: [Int64: AppStoreServerClient] = [:]
        for scope in scopes.all {
            // The ledger remembers environments that were taken out of the configuration. What the App Store tells of
            // those is believed no more, and asking for it would only fail, again and again.
            guard let app = configuration.app(scope.bundleID), app.environments.contains(scope.environment),
                let key = app.key, let host = app.hosts[scope.environment]
            else { continue }
            let tokens = try APITokenSource(
                key: key.signingKey, formerKeys: key.formerKey.map { [$0] } ?? [], issuerID: key.issuerID,
                bundleID: app.bundleID, now: { Date() })
            var options = AppStoreServerClient.Configuration()
            options.logger = logger
            clients[scope.id] = AppStoreServerClient(tokens: tokens, host: host, configuration: options)
        }
        return clients
    }
}
