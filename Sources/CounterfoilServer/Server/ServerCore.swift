package import Ledger
internal import AppStoreModels
package import AppStoreServer
internal import AppStoreTrust
package import CoreMetrics
package import Entitlements
package import Foundation
package import Logging

/// All that has to be kept.
package typealias Storage = LedgerStorage & CustomerStorage
    & ErrandStorage
    & RecoveryStorage
    & HistoryStorage
    & ClaimStorage
    & InspectionStorage
    & RefusalStorage
    & WebhookStorage
    & ConsumptionStorage
    & HealthStorage
    & OriginalPurchaseStorage
    & CircumstanceStorage
    & GrantStorage
    & IdempotencyStorage
    & EventFeedStorage
    & UnclaimedStorage
    & ErasureStorage

/// The parts of a server, before there is a port: what the routes and the services share.
package struct ServerCore: Sendable {
    package let configuration: ServerConfiguration
    package let storage: any Storage
    package let scopes: ScopeBook
    package let writer: LedgerWriter
    package let folder: Folder
    package let ingest: Ingest
    package let webhooks: WebhookDispatcher
    /// The same for who asks.
    package let events: EventFeed
    /// Judges what arrives now.
    package let verifier: SignedDataVerifier
    /// Judges what was signed earlier.
    package let historical: SignedDataVerifier
    /// The same for what was kept, remembering what was proven.
    package let proven: ProvenTexts
    /// The App Store, for the scopes whose app has a key.
    package let clients: [Int64: AppStoreServerClient]
    /// Closes gaps.
    package let recovery: Recovery
    /// The engines, by app.
    package let engines: [String: EntitlementEngine]
    package let clock: ServerClock
    /// Knows which requests take too long.
    package let watch: RequestWatch
    /// Who asks the App Store about which Apple account.
    let histories = HistoryQueries()
    /// What was refused.
    package let refusals: RefusalLog
    package let logger: Logger
    package let metrics: ServerMetrics
    package let readiness: Readiness
    /// Counts the request bodies in memory.
    let bodies: BodyBudget

    /// The server's time.
    package var now: Date { clock.now() }

    package init(
        _ configuration: ServerConfiguration, storage: any Storage, clock: ServerClock, logger: Logger,
        metrics factory: any MetricsFactory = PrometheusMetrics()
    ) async throws {
        self.configuration = configuration
        self.storage = storage
        self.clock = clock
        self.logger = logger
        let metrics = ServerMetrics(factory)
        self.metrics = metrics
        readiness = Readiness { try await storage.checkWritable() }
        let environments = configuration.apps.flatMap { app in
            app.environments.map { (bundleId: app.bundleId, environment: $0.rawValue) }
        }
        scopes = try await storage.scopes(of: environments.sorted { ($0.0, $0.1) < ($1.0, $1.1) })
        bodies = BodyBudget(configuration.limits)
        watch = RequestWatch(limit: configuration.limits.requestTime)
        refusals = RefusalLog(
            storage,
            keeping: .init(count: configuration.storage.refusedKept, bytes: configuration.storage.refusedBytes))
        verifier = try Self.verifier(configuration, validAt: configuration.trust.validAt, clock, metrics)
        historical = verifier.validating(at: .signingDate)
        proven = ProvenTexts(historical, now: clock.now)
        let renderer = EventRenderer(
            storage: storage, scopes: scopes, verifier: historical,
            entitlements: Dictionary(
                configuration.apps.map { ($0.bundleId, $0.catalogue.entitlements) },
                uniquingKeysWith: { first, _ in first }))
        webhooks = try await WebhookDispatcher(
            configuration, storage: storage, scopes: scopes, renderer: renderer, clock: clock, logger: logger)
        events = EventFeed(storage, renderer)
        writer = LedgerWriter(storage, metrics: metrics, folded: webhooks.wake)
        folder = Folder(
            storage: storage, writer: writer, verifier: historical, scopes: scopes, now: clock.now, logger: logger,
            metrics: metrics)
        ingest = Ingest(
            live: verifier, historical: historical, scopes: scopes, writer: writer,
            folder: folder, now: clock.now, metrics: metrics)
        clients = try Self.clients(configuration, scopes, clock, logger)
        recovery = try await Recovery(
            storage: storage, ingest: ingest, verifier: historical, scopes: scopes, clients: clients,
            settings: configuration.recovery, clock: clock, logger: logger)
        engines = Dictionary(
            configuration.apps.map { ($0.bundleId, EntitlementEngine(catalogue: $0.catalogue)) },
            uniquingKeysWith: { first, _ in first })
        addGauges()
    }

    /// What is read from the ledger when somebody asks for the metrics.
    private func addGauges() {
        let (storage, clock) = (storage, clock)
        metrics.add(
            .init(.inboxBacklog) {
                guard let backlog = await Self.backlog(storage) else { return [] }
                return [([], Double(backlog.count))]
            })
        metrics.add(
            .init(.inboxAge) {
                guard let backlog = await Self.backlog(storage) else { return [] }
                let age = backlog.oldest.map { max(0, clock.now().timeIntervalSince(Date(milliseconds: $0))) }
                return [([], age ?? 0)]
            })
        let (recovery, webhooks, bodies) = (recovery, webhooks, bodies)
        metrics.add(
            .init(.bodies) { [([], Double(bodies.bytes))] })
        metrics.add(
            .init(.completeness) {
                recovery.completenessAges().compactMap { scope, age in
                    age.map { ([("app", scope.bundleId), ("environment", scope.environment.rawValue)], $0) }
                }
            })
        metrics.add(
            .init(.recoveryFailures) {
                recovery.failuresInARow().map { scope, count in
                    ([("app", scope.bundleId), ("environment", scope.environment.rawValue)], Double(count))
                }
            })
        metrics.add(.init(.webhookBacklog) { await Self.backlog(webhooks).map { [([], Double($0.deliveries))] } ?? [] })
        metrics.add(
            .init(.disabledWebhooks) {
                await Self.backlog(webhooks).map { [([], Double($0.disabledEndpoints))] } ?? []
            })
        metrics.add(
            .init(.webhookAge) {
                guard let backlog = await Self.backlog(webhooks) else { return [] }
                let age = backlog.oldest.map { max(0, clock.now().timeIntervalSince(Date(milliseconds: $0))) }
                return [([], age ?? 0)]
            })
    }

    /// Nothing while the ledger cannot be read, which its own metrics and the health routes tell.
    private static func backlog(_ storage: any Storage) async -> (count: Int, oldest: Milliseconds?)? {
        do { return try await storage.backlog() } catch { return nil }
    }

    private static func backlog(_ webhooks: WebhookDispatcher) async -> WebhookBacklog? {
        // As above.
        do { return try await webhooks.webhookBacklog() } catch { return nil }
    }

    static func verifier(
        _ configuration: ServerConfiguration, validAt: ValidationInstant, _ clock: ServerClock,
        _ metrics: ServerMetrics = ServerMetrics()
    ) throws -> SignedDataVerifier {
        var options = SignedDataVerifier.Configuration(apps: configuration.acceptedApps)
        options.anchors = configuration.trust.anchors
        options.validAt = validAt
        options.now = clock.now
        if configuration.trust.revocation != .off {
            var revocation = RevocationOptions(policy: configuration.trust.revocation)
            revocation.transport = MeasuredRevocation(transport: revocation.transport, metrics: metrics)
            revocation.allowedHosts.formUnion(configuration.trust.revocationHosts)
            options.revocation = revocation
        }
        return try SignedDataVerifier(options)
    }

    private static func clients(
        _ configuration: ServerConfiguration, _ scopes: ScopeBook, _ clock: ServerClock, _ logger: Logger
    ) throws -> [Int64: AppStoreServerClient] {
        var clients: [Int64: AppStoreServerClient] = [:]
        for scope in scopes.all {
            guard let app = configuration.app(scope.bundleId), let key = app.key,
                let host = app.hosts[scope.environment]
            else { continue }
            let tokens = try APITokenSource(
                key: key.signingKey, issuerID: key.issuerID, bundleID: app.bundleId, now: { Date() })
            var options = AppStoreServerClient.Configuration()
            options.logger = logger
            clients[scope.id] = AppStoreServerClient(tokens: tokens, host: host, configuration: options)
        }
        return clients
    }
}
