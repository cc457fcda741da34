internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Basics
internal import Entitlements
internal import Foundation
internal import Ledger
internal import LedgerServices
internal import Logging

/// The configuration in effect, one line for each setting. For a secret or a key it shows only whether one is set. For
/// a URL it shows only scheme, host and port, because paths and user names of URLs can be secrets too, and for
/// entitlements and products only their names.
struct EffectiveConfiguration {
    struct Setting: Sendable, Hashable {
        /// The path as in ``SettingOrigins``, such as `apps[0].bundle_id`.
        var path: String
        var value: String
        /// A hash of what the value does not show, such as the products of an entitlement or the path of a URL. Settings
        /// with the same value may differ in it.
        var rest = 0

        func hasSameValue(as other: Self?) -> Bool { value == other?.value && rest == other?.rest }
    }

    private(set) var settings: [Setting] = []

    init(_ configuration: ServerConfiguration) {
        for (index, app) in configuration.apps.enumerated() { add(app, "apps[\(index)]") }
        for (index, key) in configuration.keys.enumerated() { add(key, "keys[\(index)]") }
        for (index, webhook) in configuration.webhooks.enumerated() { add(webhook, "webhooks[\(index)]") }
        add(configuration.listen)
        add(configuration.trust)
        add(configuration.storage)
        add(configuration.recovery)
        add(configuration.limits)
        add("log.level", configuration.log.level.rawValue)
        add("log.format", configuration.log.format.rawValue)
        add(configuration.console)
        switch configuration.clock {
        case .system: add("clock", "system")
        case .simulator(let url): add("clock", ServerConfiguration.redacted(url: url))
        }
        distinguish(by: configuration.clock)
    }

    // MARK: Values

    private mutating func add(_ path: String, _ value: String?) {
        settings.append(Setting(path: path, value: value ?? "none"))
    }

    /// Tells the setting that was added last from others that are shown alike.
    private mutating func distinguish(by rest: some Hashable) {
        settings[settings.endIndex - 1].rest = rest.hashValue
    }

    private mutating func add(_ path: String, _ flag: Bool) { add(path, flag ? "true" : "false") }

    private mutating func add(_ path: String, _ number: Int) { add(path, String(number)) }

    private mutating func add(_ path: String, _ list: (some Sequence<String>)?, or otherwise: String) {
        let texts = list.map { Array($0).sorted() }
        add(path, texts.map { $0.isEmpty ? "none" : $0.joined(separator: ", ") } ?? otherwise)
    }

    private mutating func add(_ path: String, _ duration: Duration) {
        let seconds = duration.components.seconds
        // Use the largest unit that divides the duration.
        let unit = [("d", Int64(86_400)), ("h", 3600), ("m", 60)].first { seconds > 0 && seconds.isMultiple(of: $0.1) }
        add(path, unit.map { "\(seconds / $0.1)\($0.0)" } ?? "\(seconds)s")
    }

    /// Adds a setting whose value is secret: `set` or `none`.
    private mutating func add(_ path: String, isSet: Bool) { add(path, isSet ? "set" : "none") }

    private mutating func add(_ path: String, secrets count: Int) { add(path, count == 0 ? "none" : "\(count) set") }

    // MARK: Lists

    private mutating func add(_ app: ServerConfiguration.App, _ path: String) {
        add("\(path).bundle_id", app.bundleID)
        add("\(path).apple_id", app.appAppleID.map { String($0) })
        add("\(path).environments", app.environments.map(\.rawValue), or: "none")
        add("\(path).sandbox", app.environments.contains(.sandbox) ? "keep_apart" : "refuse")
        add("\(path).key", app.key.map { $0.all.map(\.keyID).joined(separator: ", ") })
        distinguish(by: app.key?.issuerID)
        add("\(path).offers", (app.offerKey ?? app.key?.signingKey)?.keyID)
        add("\(path).public_offers", app.publicOffers, or: "none")
        add("\(path).shared_secrets", secrets: app.sharedSecrets.count)
        for (name, environment) in [("production", AppStoreEnvironment.production), ("sandbox", .sandbox)] {
            add("\(path).base_urls.\(name)", app.hosts[environment].map { ServerConfiguration.redacted(url: $0.url) })
            distinguish(by: app.hosts[environment])
        }
        let catalogue = app.catalogue
        add("\(path).entitlements", catalogue.entitlements.keys, or: "none")
        distinguish(
            by: ProductCatalogue(
                entitlements: catalogue.entitlements, originalPurchaseRules: catalogue.originalPurchaseRules))
        let products = Set(catalogue.durations.keys).union(catalogue.levels.keys).union(catalogue.groups.keys)
        add("\(path).products", products.union(catalogue.consumables), or: "none")
        distinguish(
            by: ProductCatalogue(
                durations: catalogue.durations, levels: catalogue.levels, consumables: catalogue.consumables,
                groups: catalogue.groups))
        add("\(path).restore_policy", app.restorePolicy.rawValue)
        add(app.consumption, "\(path).consumption")
        add("\(path).customer_token_secret", isSet: app.customerTokenSecret != nil)
        add("\(path).answer_key", isSet: app.responseSigningKey != nil)
    }

    private mutating func add(_ policy: ConsumptionPolicy?, _ path: String) {
        guard let policy else { return add(path, "none") }
        add("\(path).default_consent", policy.defaultConsent)
        add("\(path).refund_preference", policy.refundPreference?.rawValue ?? "undeclared")
        add("\(path).delivery_status", policy.deliveryStatus.rawValue)
        add("\(path).sample_content_provided", policy.sampleContentProvided)
    }

    private mutating func add(_ key: ServerConfiguration.Key, _ path: String) {
        add("\(path).name", key.name)
        add("\(path).secret", isSet: true)
        add("\(path).scopes", key.scopes == Set(APIScope.all) ? ["all"] : key.scopes.map(\.rawValue), or: "none")
        add("\(path).apps", key.apps, or: "all")
        add("\(path).environments", key.environments?.map(\.rawValue), or: "all")
        add("\(path).public", key.isPublic)
    }

    private mutating func add(_ webhook: ServerConfiguration.Webhook, _ path: String) {
        add("\(path).name", webhook.name)
        add("\(path).url", ServerConfiguration.redacted(url: webhook.url))
        add("\(path).secrets", secrets: webhook.secrets.count)
        add("\(path).events", webhook.events, or: "all")
        add("\(path).payload", webhook.payload.rawValue)
        add("\(path).apps", webhook.apps, or: "all")
        add("\(path).environments", webhook.environments?.map(\.rawValue), or: "all")
        add("\(path).allow_private_networks", webhook.allowsPrivateNetworks)
    }

    // MARK: Sections

    private mutating func add(_ listen: ServerConfiguration.Listen) {
        add("listen.host", listen.host)
        add("listen.port", listen.port)
        add("listen.public_url", listen.publicURL.map { ServerConfiguration.redacted(url: $0) })
        distinguish(by: listen.publicURL)
        add("listen.tls.certificate", listen.tls?.certificateFile)
        add("listen.tls.key", isSet: listen.tls != nil)
        add("listen.trusted_proxies", listen.trustedProxies.map(\.description), or: "none")
        add("listen.metrics", listen.metrics.rawValue)
        add("listen.notification_networks", listen.notificationNetworks?.map(\.description), or: "everybody")
    }

    private mutating func add(_ trust: ServerConfiguration.Trust) {
        add("trust.anchors", trust.anchors.expirations.map(\.name), or: "none")
        distinguish(by: trust.anchors)
        add("trust.receipts", trust.receiptAnchors.expirations.map(\.name), or: "none")
        distinguish(by: trust.receiptAnchors)
        add("trust.revocation", trust.revocation.rawValue)
        add("trust.revocation_hosts", trust.revocationHosts, or: "none")
        add("trust.certificates_valid_at", trust.validationTime == .now ? "now" : "signing_date")
    }

    private mutating func add(_ storage: ServerConfiguration.Storage) {
        add("storage.path", storage.path)
        add("storage.synchronous", storage.synchronous.rawValue)
        add("storage.refused_kept", storage.maximumRefusedDeliveries)
        add("storage.refused_bytes", storage.maximumRefusedBytes)
        add("storage.cache_mib", storage.cacheMiB)
    }

    private mutating func add(_ recovery: ServerConfiguration.Recovery) {
        add("recovery.enabled", recovery.isEnabled)
        add("recovery.interval", recovery.interval)
        add("recovery.overlap", recovery.overlap)
        add("recovery.windows", recovery.parallelWindows)
        add("recovery.retention_days", recovery.retentionDays)
    }

    private mutating func add(_ limits: ServerConfiguration.Limits) {
        add("limits.request_bytes", limits.requestBytes)
        add("limits.buffered_bytes", limits.bufferedBytes)
        add("limits.connections_per_address", limits.connectionsPerAddress)
        add("limits.requests_per_second", limits.requestsPerSecond)
        add("limits.request_time", limits.requestTimeout)
    }

    private mutating func add(_ console: ServerConfiguration.Console) {
        add("console.enabled", console.isEnabled)
        add("console.secret", isSet: console.secret != nil)
        distinguish(by: console.secret?.revealed)
        add("console.listen", console.listen.map { ServerConfiguration.authority($0.host, $0.port) })
        add("console.read_only", console.isReadOnly)
        add("console.audit_reads", console.auditsReads)
    }
}

extension ServerConfiguration {
    /// Returns the scheme, host and port of a URL for display. The path can be a secret and is replaced by `/…`.
    package static func redacted(url text: String) -> String {
        guard let url = URLComponents(string: text), let scheme = url.scheme, let host = url.host else { return "set" }
        return "\(scheme)://\(host)\(url.port.map { ":\($0)" } ?? "")\(url.path.count > 1 ? "/…" : "")"
    }
}
