internal import AppStoreModels
internal import AppStoreServer
internal import Basics
internal import ConfigurationReading
internal import Entitlements
internal import Foundation
internal import Ledger
internal import LedgerServices

extension ServerConfigurationReader {
    private static let environmentNames = Vocabulary<AppStoreEnvironment>([
        ("Production", [], .production), ("Sandbox", [], .sandbox),
    ])

    private static let sandboxes = Vocabulary<Bool>([("keep_apart", [], false), ("refuse", [], true)])

    private static let refundPreferences = Vocabulary<RefundPreference?>([
        ("undeclared", ["none"], nil), ("decline", ["prefer_decline"], .decline),
        ("grant_full", ["prefer_grant", "grant"], .grantFull), ("grant_prorated", ["prefer_prorated"], .grantProrated),
    ])

    private static let deliveryStatuses = Vocabulary<DeliveryStatus>([
        ("delivered", [], .delivered), ("undelivered_quality_issue", [], .undeliveredQualityIssue),
        ("undelivered_wrong_item", [], .undeliveredWrongItem),
        ("undelivered_server_outage", [], .undeliveredServerOutage), ("undelivered_other", [], .undeliveredOther),
    ])

    func apps(_ root: inout Section) -> [ServerConfiguration.App] {
        guard root.has("apps") else {
            root.problem("apps", "is missing")
            return []
        }
        let sections = root.sections("apps")
        if sections.isEmpty { root.problem("apps", "at least one app is required") }
        var seen: Set<ExactText> = []
        let account = secrets(&root, "account_shared_secrets").map(\.secret)
        var secrets = AppSecrets(account: account)
        return sections.map { section in
            var section = section
            var app = app(&section)
            if !app.bundleID.isEmpty, !seen.insert(ExactText(app.bundleID)).inserted {
                section.problem("bundle_id", "\(quoted(app.bundleID)) is used twice")
            }
            if !CustomerName.isNFC(app.bundleID) {
                section.problem("bundle_id", "is not in Unicode Normalization Form C (NFC)")
            }
            checkSharedSecrets(of: app, among: &secrets, section)
            app.sharedSecrets += account
            checkTokenSecret(of: app, among: &secrets, section)
            return app
        }
    }

    /// The secrets of the account and of the apps that were read before. Nobody can measure how long these comparisons
    /// take, so they need not take the same time for all texts.
    private struct AppSecrets {
        var tokens: Set<ExactText> = []
        var shared: Set<ExactText>

        init(account: [Secret]) { shared = Set(account.map { ExactText($0.revealed) }) }
    }

    /// Reports a shared secret that another app has too: requests with an app's shared secret are attributed to that
    /// app.
    private func checkSharedSecrets(
        of app: ServerConfiguration.App, among secrets: inout AppSecrets, _ section: Section
    ) {
        let own = app.sharedSecrets.map { ExactText($0.revealed) }
        for secret in own where secrets.shared.contains(secret) {
            section.problem(
                "shared_secrets",
                "is the same as that of another app; the account's primary shared secret belongs in account_shared_secrets"
            )
        }
        secrets.shared.formUnion(own)
    }

    /// Reports a token secret that two apps share, because the secret tells which app a customer token is for. Also
    /// reports a token secret that is a shared secret, because old clients contain the shared secret.
    private func checkTokenSecret(
        of app: ServerConfiguration.App, among secrets: inout AppSecrets, _ section: Section
    ) {
        for secret in app.customerTokenSecrets {
            if secrets.tokens.contains(ExactText(secret.revealed)) {
                section.problem("customer_token_secret", "is the same as that of another app")
            }
            if app.accepts(password: secret.revealed) {
                section.problem("customer_token_secret", "is also a shared secret, which every old client contains")
            }
        }
        secrets.tokens.formUnion(app.customerTokenSecrets.map { ExactText($0.revealed) })
    }

    private func app(_ section: inout Section) -> ServerConfiguration.App {
        let environments = environments(&section)
        let refusesSandbox = section.word("sandbox", of: Self.sandboxes) ?? false
        var app = ServerConfiguration.App(
            bundleID: section.requiredText("bundle_id") ?? "", appAppleID: appleID(&section),
            environments: environments ?? [.production, .sandbox])
        if refusesSandbox {
            app.environments.remove(.sandbox)
            if app.environments.isEmpty || environments?.contains(.sandbox) == true {
                section.problem("sandbox", "refuse needs environments: [Production]")
            }
        }
        if app.environments.contains(.production), !section.has("apple_id") {
            section.problem(
                "apple_id",
                "is missing; production needs it, App Store Connect shows it under App Information")
        }
        app.key = apiKey(of: &section)
        section.read("offers") { app.offerKey = signingKey(&$0) }
        app.publicOffers = Set((section.texts("public_offers") ?? []).map(\.text))
        app.sharedSecrets = secrets(&section, "shared_secrets").map(\.secret)
        app.hosts = hosts(&section)
        app.restorePolicy = section.word("restore_policy") ?? .transfer
        entitlements(&section, &app.catalogue)
        products(&section, &app)
        section.read("consumption") { app.consumption = policy(&$0) }
        tokenSecrets(&section, &app)
        if let secret = secret(&section, "answer_key") {
            app.responseSigningKey = ServerConfiguration.ResponseSigningKey(base64: secret.revealed)
            if app.responseSigningKey == nil {
                section.problem("answer_key", "is not 32 bytes in base64; openssl rand -base64 32 makes a key")
            }
        }
        section.finish()
        check(app, at: section.path)
        return app
    }

    /// Reads the secret for customer tokens, or a list of the new one and the one that it replaces.
    private func tokenSecrets(_ section: inout Section, _ app: inout ServerConfiguration.App) {
        let read = secrets(&section, "customer_token_secret")
        if !section.has("customer_token_secret") || section.isEmpty("customer_token_secret") {
            appsWithoutTokenSecret[app.bundleID] = section.path
        }
        if read.contains(where: { $0.secret.revealed.utf8.count < 32 }) {
            section.problem("customer_token_secret", "is shorter than 32 bytes, which HS256 needs")
        }
        if read.count > 2 {
            section.problem("customer_token_secret", "should be one secret, or two: the newer and the former one")
        }
        (app.customerTokenSecret, app.formerCustomerTokenSecret) = (read.first?.secret, read.dropFirst().first?.secret)
        guard let former = read.dropFirst().first else { return }
        addNote(former.path, "this secret is being replaced; remove it a day after your backend uses the newer one")
    }

    /// Reads the environments of an app, a key or a webhook; nil if the setting is absent.
    func environments(_ section: inout Section) -> Set<AppStoreEnvironment>? {
        requireItems("environments", of: section)
        return section.has("environments") ? Set(section.words("environments", of: Self.environmentNames)) : nil
    }

    private func appleID(_ section: inout Section) -> Int64? {
        section.parse("apple_id", orProblem: "is not a number such as 1234567890") { text in
            Int64(text).flatMap { $0 > 0 ? $0 : nil }
        }
    }

    /// Reads the key, or a list of the new key and the key that it replaces.
    private func apiKey(of section: inout Section) -> ServerConfiguration.APIKey? {
        guard case .list? = section.value("key")?.content else {
            guard var key = section.section("key") else { return nil }
            return apiKey(&key)
        }
        let sections = section.sections("key")
        if sections.isEmpty || sections.count > 2 {
            section.problem("key", "should be one key, or two: the newer one and the one that it replaces")
        }
        let keys = sections.map { one in
            var one = one
            return (key: apiKey(&one), section: one)
        }
        guard var key = keys.first?.key, keys.count == 2, let former = keys.last, let formerKey = former.key else {
            return keys.first?.key
        }
        if !formerKey.issuerID.isExactly(key.issuerID) {
            former.section.problem("issuer_id", "differs from that of the newer key")
        }
        if formerKey.signingKey.keyID.isExactly(key.signingKey.keyID) {
            former.section.problem("key_id", "is the same as that of the newer key")
        }
        key.formerKey = formerKey.signingKey
        addNote(former.section.path, "this key is being replaced; revoke it in App Store Connect and remove it here")
        return key
    }

    private func apiKey(_ section: inout Section) -> ServerConfiguration.APIKey? {
        let issuer = section.requiredText("issuer_id")
        if let issuer, case .text(let identifier)? = section.value("key_id")?.content {
            keyIdentifiers[section.path] = (issuer, identifier)
        }
        let key = signingKey(&section)
        section.finish()
        guard let issuer, let key else { return nil }
        guard !issuer.isEmpty else {
            section.problem("issuer_id", "is empty")
            return nil
        }
        return .init(issuerID: issuer, signingKey: key)
    }

    private func signingKey(_ section: inout Section) -> SigningKey? {
        let identifier = section.requiredText("key_id")
        section.require("private_key")
        if let value = section.value("private_key"), case .text(let text) = value.content,
            !text.contains("-----BEGIN")
        {
            section.problem("private_key", "is not a private key; name a file as {file: …}")
            return nil
        }
        guard let secret = secret(&section, "private_key"), let identifier else { return nil }
        do { return try SigningKey(pem: secret.revealed, keyID: identifier) } catch {
            section.problem(error.code == .invalidIdentifier ? "key_id" : "private_key", error.message)
            return nil
        }
    }

    private func hosts(_ section: inout Section) -> [AppStoreEnvironment: AppStoreHost] {
        var hosts: [AppStoreEnvironment: AppStoreHost] = [.production: .production, .sandbox: .sandbox]
        guard var urls = section.section("base_urls") else { return hosts }
        for (key, environment) in [("production", AppStoreEnvironment.production), ("sandbox", .sandbox)] {
            guard let url = urls.text(key) else { continue }
            do { hosts[environment] = try AppStoreHost(url: url, environment: environment) } catch {
                urls.problem(key, "\(Self.redacted(url)) is \(error.message)")
            }
            // A recovery of one environment would read the history of the other.
            if let host = Self.host(ofURL: url),
                let other = AppStoreHost.appleNames.first(where: { $0.key != environment && $0.value.contains(host) })
            {
                urls.problem(key, "\(quoted(url)) is the App Store's address for \(other.key.rawValue)")
            }
            if !isSecureOrLoopback(url) { addNote(urls.path(key), "the key's tokens go there over plain HTTP") }
        }
        if urls.has("production"), urls.has("sandbox"), hosts[.production]?.url == hosts[.sandbox]?.url {
            urls.problem("sandbox", "is the same as the URL for production, which is another App Store")
        }
        urls.finish()
        return hosts
    }

    private func products(_ section: inout Section, _ app: inout ServerConfiguration.App) {
        guard var products = section.section("products") else { return }
        for product in products.keys {
            products.read(product) { facts in
                app.catalogue.durations[product] = facts.parse(
                    "duration", orProblem: "is not a period such as P3D, P1W, P1M or P1Y"
                ) { Period(iso8601: $0) }
                app.catalogue.levels[product] = facts.number("level", in: 1...1000)
                if let group = facts.text("group") {
                    app.catalogue.groups[product] = group
                    if group.isEmpty { facts.problem("group", "is empty") }
                }
                if facts.flag("consumable") ?? false {
                    app.catalogue.consumables.insert(product)
                    for key in ["duration", "level", "group"] where facts.has(key) {
                        facts.problem(key, "a consumable product has none")
                    }
                }
            }
        }
    }

    private func policy(_ section: inout Section) -> ConsumptionPolicy {
        ConsumptionPolicy(
            defaultConsent: section.flag("default_consent") ?? false,
            refundPreference: section.word("refund_preference", of: Self.refundPreferences) ?? nil,
            deliveryStatus: section.word("delivery_status", of: Self.deliveryStatuses) ?? .delivered,
            sampleContentProvided: section.flag("sample_content_provided") ?? false)
    }

    private func check(_ app: ServerConfiguration.App, at path: String) {
        // The characters of Apple's documentation page CFBundleIdentifier.
        let others = app.bundleID.utf8.filter {
            !$0.isASCIIAlphanumeric && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".")
        }
        if !others.isEmpty {
            addNote(
                path + ".bundle_id",
                "\(quoted(app.bundleID)) is not a bundle ID: expected only letters, digits, hyphens and periods")
        }
        if app.key == nil, !absentCredentials.isAny(in: path + ".key") {
            addNote(path, "has no key: no recovery, and no history for restores")
        }
        if !app.environments.contains(.production) { addNote(path, "accepts only the sandbox") }
        if !app.environments.contains(.sandbox) {
            addNote(path, "refuses the sandbox: purchases of App Review and testers are not accepted")
        }
        checkExampleValues(app, at: path)
    }

    /// Warns about example values of the configuration template in an app that uses Apple's production.
    private func checkExampleValues(_ app: ServerConfiguration.App, at path: String) {
        guard app.environments.contains(.production), app.hosts[.production] == .production else { return }
        let example = ConfigurationTemplate(keyHash: "")
        if app.bundleID == example.bundleID { addNote(path + ".bundle_id", "is the example value of the template") }
        if app.appAppleID == example.appAppleID {
            addNote(
                path + ".apple_id",
                "is the example value of the template; App Store Connect shows the app's under App Information")
        }
        if let (issuer, key) = keyIdentifiers[path + ".key"] ?? keyIdentifiers[path + ".key[0]"] {
            if issuer == example.issuerID || UUID(text: issuer) == nil {
                let place = "App Store Connect shows it under Users and Access > Integrations"
                addNote(path + ".key", "issuer_id is not the UUID of a team: \(place)")
            }
            if key == example.keyID || key.hasPrefix("AuthKey_") {
                addNote(path + ".key", "key_id is not the ID of a key, the ten characters in AuthKey_….p8")
            }
        }
        if app.catalogue.entitlements.isEmpty {
            addNote(path, "has no entitlements: no purchase gives a customer access to anything")
        }
    }
}
