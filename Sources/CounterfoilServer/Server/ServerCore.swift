internal import AppStoreModels
package import AppStoreServer
internal import AppStoreTrust
internal import Basics
package import CoreMetrics
package import Foundation
package import Ledger
package import LedgerServices
package import Logging
package import Tracing
internal import WebConsole

/// The services of a server, without listeners. The routes are built from them.
package struct ServerCore: Sendable {
    /// The current configuration. ``Server/reload(_:)`` replaces it.
    package var configuration: ServerConfiguration {
        _read { yield settings.current }
    }
    let settings: SharedValue<ServerConfiguration>
    /// The keys of the API and the secrets of customer tokens.
    let access: SharedValue<AccessTable>
    package let storage: any LedgerEngine
    package let apps: Apps
    package let scopes: AppEnvironmentRegistry
    package let clock: ServerClock
    package let logger: Logger
    package let metrics: ServerMetrics
    /// The metrics of the last hour.
    let history = MetricHistory()
    /// The App Store clients by scope, for configured scopes whose app has a key.
    package let clients: [Int64: AppStoreServerClient]

    // MARK: Verification

    /// Verifies signed data that arrives now.
    package let verifier: SignedDataVerifier
    /// Verifies stored or older signed data as of its signing date.
    package let historical: SignedDataVerifier
    /// The cache of verified signatures, shared by both verifiers.
    package let signatures = VerifiedSignatureCache()
    package let purchaseVerifier: PurchaseVerifier

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
    let notificationsV1: NotificationV1Receiver
    package let grantExpiry: GrantExpiryService
    package let retention: RetentionService
    package let webhooks: WebhookDispatcher
    /// The events that webhooks deliver, for the API.
    package let events: EventFeed
    package let refusals: RefusalLog
    package let audit: AuditLog
    /// Records requests in the audit log.
    var requestAudit: RequestAudit { RequestAudit(log: audit, clock: clock, settings: settings) }
    /// The sessions of the console.
    let sessions = SessionStore()
    /// Publishes changes to open pages of the console and to clients of the API.
    let changes = EventHub()
    /// Decodes signed data that users paste.
    let decoder: PastedDataDecoder

    // MARK: Requests

    /// Cancels requests that exceed the time limit.
    package let watch: RequestWatch
    package let readiness: Readiness
    package let requests: RequestMetrics
    /// Limits the request bodies in memory.
    let bodies: BodyBudget

    /// The server's time.
    package var now: Date { clock.now() }

    package init(
        _ configuration: ServerConfiguration, storage: any LedgerEngine, clock: ServerClock, logger: Logger,
        metrics factory: any MetricsFactory = PrometheusMetrics(), tracer: any Tracer = NoOpTracer()
    ) async throws {
        settings = SharedValue(configuration)
        access = SharedValue(AccessTable(configuration))
        self.storage = storage
        self.clock = clock
        self.logger = logger
        apps = Apps(configuration.apps)
        metrics = ServerMetrics(factory, tracer: tracer)
        requests = RequestMetrics(factory)
        scopes = try await storage.scopes(of: configuration.environments)
        clients = try Self.clients(configuration, scopes, logger)

        verifier = try configuration.verifier(
            validationTime: configuration.trust.validationTime, clock, metrics
        ).caching(signatures)
        historical = verifier.validating(at: .signingDate)
        purchaseVerifier = PurchaseVerifier(
            apps: apps, receiptAnchors: configuration.trust.receiptAnchors, verifier: historical, clock: clock)

        let renderer = EventRenderer(
            storage: storage, scopes: scopes, verifier: historical, apps: apps, logger: logger)
        let webhooks = try await WebhookDispatcher(
            configuration.webhooks, storage: storage, scopes: scopes, renderer: renderer,
            timeout: configuration.limits.webhookTimeout, drainTimeout: configuration.limits.webhookDrainTimeout,
            clock: clock, logger: logger, metrics: metrics)
        self.webhooks = webhooks
        events = EventFeed(storage, renderer)
        writer = LedgerWriter(storage, metrics: metrics, onProcessed: webhooks.wake)
        processor = NotificationProcessor(
            storage: storage, writer: writer, verifier: historical, scopes: scopes, now: clock.now, logger: logger,
            metrics: metrics)
        ingest = Ingest(
            live: verifier, historical: historical, scopes: scopes, writer: writer, processor: processor,
            clock: clock, metrics: metrics)
        histories = AccountHistories(
            storage: storage, verifier: historical, clients: clients, clock: clock, logger: logger,
            timeout: min(configuration.limits.requestTimeout / 2, configuration.limits.historyTimeout))
        recovery = try await Recovery(
            storage: storage, ingest: ingest, histories: histories, scopes: scopes, clients: clients,
            settings: configuration.recovery, clock: clock, logger: logger)
        customers = CustomerReader(
            storage: storage, apps: apps, scopes: scopes, verifier: historical, clock: clock)
        restores = RestoreService(
            storage: storage, apps: apps, customers: customers, histories: histories, clock: clock,
            wakeWebhooks: webhooks.wake)
        consumption = ConsumptionService(
            storage: storage, apps: apps, scopes: scopes, clients: clients, clock: clock, logger: logger,
            metrics: metrics)
        verifyReceipt = VerifyReceiptService(
            storage: storage, apps: apps, scopes: scopes, purchaseVerifier: purchaseVerifier, histories: histories,
            logger: logger)
        notificationsV1 = NotificationV1Receiver(
            storage: storage, apps: apps, scopes: scopes, purchaseVerifier: purchaseVerifier, clock: clock,
            logger: logger)
        grantExpiry = GrantExpiryService(storage: storage, clock: clock, logger: logger, wakeWebhooks: webhooks.wake)
        retention = RetentionService(storage: storage, clock: clock, logger: logger)
        refusals = RefusalLog(
            storage,
            keeping: .init(
                count: configuration.storage.maximumRefusedDeliveries, bytes: configuration.storage.maximumRefusedBytes),
            logger: logger)
        audit = AuditLog(storage, logger: logger)
        decoder = try PastedDataDecoder(configuration, apps, clock)

        watch = RequestWatch(limit: configuration.limits.requestTimeout)
        readiness = Readiness(check: { try await storage.checkWritable() })
        bodies = BodyBudget(configuration.limits)
        addGauges()
    }

    /// Returns the service that signs the offers of an app in an environment.
    func offers(_ appEnvironment: AppEnvironment) -> OfferService {
        OfferService(
            storage: storage, apps: apps, customers: customers, histories: histories,
            purchaseVerifier: purchaseVerifier, clock: clock,
            appEnvironment: appEnvironment)
    }

    /// Returns an importer of customers' purchases.
    ///
    /// - Parameter scopes: The scopes in which to look for transactions of unknown environment, in order.
    package func importer(_ scopes: [AppEnvironment]) -> Importer {
        Importer(histories, anchors: configuration.trust.receiptAnchors, clock: clock, scopes: scopes)
    }

    /// Logs a warning for each root certificate that expires soon.
    func warnAboutExpiringRoots() {
        for root in configuration.trust.expiringRoots(at: now) {
            logger.warning(
                "a root certificate expires soon; data that it signs is rejected after that",
                metadata: ["root": "\(root.name)", "ends": "\(root.date.formatted(.iso8601))"])
        }
    }

    /// Adds the gauges that are read when the metrics are requested.
    private func addGauges() {
        /// Adds a gauge without labels. Its value is omitted while it is unknown.
        func add(_ family: MetricFamily, _ value: @escaping @Sendable () async -> Double?) {
            metrics.addGauge(family) { await value().map { [([], $0)] } ?? [] }
        }
        let (storage, clock) = (storage, clock)
        @Sendable func age(_ oldest: Milliseconds?) -> Double {
            oldest.map { max(0, clock.now().timeIntervalSince(Date(milliseconds: $0))) } ?? 0
        }
        add(.inboxBacklog) { await Self.read { try await storage.backlog() }.map { Double($0.count) } }
        add(.inboxAge) { await Self.read { try await storage.backlog() }.map { age($0.oldest) } }
        // What waits for a removed app or environment needs no work.
        let environments = scopes.all.filter { apps.served($0.bundleID, $0.environment, among: scopes) != nil }
        let served = environments.map(\.id)
        @Sendable func total(_ count: (MissingCounts) -> Int) async -> Double? {
            let counts = await Self.read { try await storage.missingCounts(in: served) }
            return counts.map { Double($0.values.map(count).reduce(0, +)) }
        }
        add(.failedNotifications) { await total(\.failedNotifications) }
        add(.historyRequests) { await total(\.historyRequests) }
        @Sendable func inquiries() async -> InquiryBacklog? {
            await Self.read { InquiryBacklog(try await storage.inquiryBacklogs(in: served).values) }
        }
        add(.consumptionBacklog) { await inquiries().map { Double($0.count) } }
        add(.consumptionAge) { await inquiries().map { age($0.oldest) } }
        let readiness = readiness
        add(.ready) { await readiness.isReady() ? 1.0 : 0.0 }
        add(.ledgerLog) { storage.logBytes.map { Double($0) } }
        let roots = configuration.trust.roots
        metrics.addGauge(.rootExpiry) { roots.map { ([("root", $0.name)], $0.date.timeIntervalSince1970) } }
        let (recovery, webhooks, bodies, requests) = (recovery, webhooks, bodies, requests)
        add(.requestsUnderWay) { Double(requests.underWay) }
        add(.bodies) { Double(bodies.bytes) }
        // Capture these weakly: they hold the metrics themselves, and a cycle would keep a stopped server in memory.
        metrics.addGauge(.completeness) { [weak recovery] in
            (recovery?.completenessAges() ?? []).compactMap { appEnvironment, age in
                age.map { (appEnvironment.parameters, $0) }
            }
        }
        // Also for apps without a key, so that the alert about an unread history names them.
        metrics.addGauge(.recoveryFailures) { [weak recovery] in
            let failing = (recovery?.consecutiveFailures() ?? []).filter { $0.count > 0 }
            return environments.map { environment in
                let count = failing.first { $0.appEnvironment.id == environment.id }?.count ?? 0
                return (environment.parameters, Double(count))
            }
        }
        add(.webhookBacklog) { [weak webhooks] in await Self.backlog(webhooks).map { Double($0.deliveries) } }
        add(.disabledWebhooks) { [weak webhooks] in
            await Self.backlog(webhooks).map { Double($0.disabledEndpoints) }
        }
        add(.webhookAge) { [weak webhooks] in await Self.backlog(webhooks).map { age($0.oldest) } }
    }

    /// Returns nil while the ledger cannot be read. The storage metrics and the health routes report that.
    private static func read<Value: Sendable>(_ value: () async throws -> Value?) async -> Value? {
        do { return try await value() } catch { return nil }
    }

    private static func backlog(_ webhooks: WebhookDispatcher?) async -> WebhookBacklog? {
        await read { try await webhooks?.webhookBacklog() }
    }

    private static func clients(
        _ configuration: ServerConfiguration, _ scopes: AppEnvironmentRegistry, _ logger: Logger
    ) throws -> [Int64: AppStoreServerClient] {
        var clients: [Int64: AppStoreServerClient] = [:]
        for appEnvironment in scopes.all {
            // The ledger also contains scopes that were removed from the configuration. The verifier rejects data for
            // those, so requests to the App Store would only fail.
            guard let app = configuration.app(appEnvironment.bundleID),
                app.environments.contains(appEnvironment.environment),
                let key = app.key, let host = app.hosts[appEnvironment.environment]
            else { continue }
            let tokens = try APITokenSource(
                key: key.signingKey, formerKeys: key.formerKey.map { [$0] } ?? [], issuerID: key.issuerID,
                bundleID: app.bundleID, now: { Date() })
            var options = AppStoreServerClient.Configuration()
            options.timeout = configuration.limits.appStoreTimeout
            options.logger = logger
            clients[appEnvironment.id] = AppStoreServerClient(tokens: tokens, host: host, configuration: options)
        }
        return clients
    }
}
