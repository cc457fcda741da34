import AppStoreModels
import AppStoreServer
import AppStoreTrust
import Basics
import CounterfoilServer
import Entitlements
import Foundation
import Logging
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `The server's configuration` {
    @Test func `A configuration needs one app and has defaults for everything else`() throws {
        let configuration = try TestConfiguration.read(TestConfiguration.smallest).configuration
        let app = try #require(configuration.apps.first)
        #expect(app.bundleID == "com.example.app" && app.appAppleID == 1_234_567_890)
        #expect(app.environments == [.production, .sandbox] && app.restorePolicy == .transfer)
        #expect(app.hosts == [.production: .production, .sandbox: .sandbox])
        #expect(app.key == nil && app.consumption == nil && app.catalogue == ProductCatalogue())
        #expect(configuration.listen == .init() && configuration.recovery == .init() && configuration.log == .init())
        #expect(configuration.limits == .init() && configuration.clock == .system)
        #expect(configuration.storage.path == "/etc/counterfoil/counterfoil.sqlite")
        #expect(configuration.trust.anchors == .apple && configuration.trust.validationTime == .now)
        #expect(configuration.keys.isEmpty && configuration.webhooks.isEmpty)
    }

    @Test func `All settings of an app are read`() throws {
        let text = """
            account_shared_secrets: [{environment: ACCOUNT}]
            apps:
              - bundle_id: com.example.shop
                apple_id: 1234567891
                environments: [production]
                key: {issuer_id: 69a6de70-03db-47e3-e053-5b8c7c11a4d1, key_id: KEY1, private_key: {file: keys/api.p8}}
                offers: {key_id: KEY2, private_key: {environment: OFFER_KEY}}
                public_offers: [save20, comeback]
                shared_secrets: [{file: /run/secret}, {environment: SECOND}]
                customer_token_secret: {environment: TOKENS}
                answer_key: {environment: ANSWERS}
                restore_policy: keep_original
                base_urls: {sandbox: "http://127.0.0.1:8090/sandbox/"}
                entitlements:
                  premium: [monthly, yearly]
                  pass: season
                products:
                  yearly: {level: 1, group: "21345678"}
                  season: {duration: P3M}
                  coins: {consumable: true}
                consumption:
                  default_consent: true
                  refund_preference: prefer_decline
                  delivery_status: UNDELIVERED_SERVER_OUTAGE
                  sample_content_provided: true

            """
        let loaded = try TestConfiguration.read(
            text,
            environment: [
                "OFFER_KEY": TestConfiguration.privateKey, "SECOND": "second", "ACCOUNT": "third",
                "TOKENS": String(repeating: "t", count: 32), "ANSWERS": String(repeating: "A", count: 43) + "=",
            ],
            files: [
                "/etc/counterfoil/keys/api.p8": TestConfiguration.file(TestConfiguration.privateKey),
                "/run/secret": TestConfiguration.file("first\n"),
            ])
        let app = try #require(loaded.configuration.app("com.example.shop"))
        #expect(app.environments == [.production, .sandbox])
        #expect(app.key?.issuerID == "69a6de70-03db-47e3-e053-5b8c7c11a4d1")
        #expect(app.key?.signingKey.keyID == "KEY1" && app.offerKey?.keyID == "KEY2")
        #expect(app.sharedSecrets.map(\.revealed) == ["first", "second", "third"])
        #expect(app.customerTokenSecret?.revealed.utf8.count == 32 && app.restorePolicy == .keepOriginal)
        #expect(app.hosts[.sandbox]?.url == "http://127.0.0.1:8090/sandbox" && app.hosts[.production] == .production)
        #expect(app.catalogue.entitlements == ["premium": ["monthly", "yearly"], "pass": ["season"]])
        #expect(app.catalogue.levels == ["yearly": 1] && app.catalogue.durations == ["season": Period(3, .month)])
        #expect(app.catalogue.consumables == ["coins"] && app.catalogue.groups == ["yearly": "21345678"])
        #expect(app.publicOffers == ["save20", "comeback"] && app.responseSigningKey?.publicKey.count == 32)
        #expect(
            app.consumption
                == ConsumptionPolicy(
                    defaultConsent: true, refundPreference: .decline, deliveryStatus: .undeliveredServerOutage,
                    sampleContentProvided: true))
        #expect(loaded.warnings.map(\.path) == ["keys"])
    }

    @Test func `All settings of the server are read`() throws {
        let text =
            TestConfiguration.smallest + """
                listen:
                  host: 0.0.0.0
                  port: 8443
                  public_url: https://purchases.example.com/
                  tls: {certificate: chain.pem, key: /run/tls.pem}
                  trusted_proxies: [10.0.0.0/8, "2001:db8::/32"]
                  notification_networks: 17.0.0.0/8
                  metrics: local
                trust: {revocation: off, revocation_hosts: [OCSP.example.com, 127.0.0.1, "::1"], certificates_valid_at: signing_date}
                storage: {path: /var/lib/ledger.sqlite, synchronous: normal, refused_kept: 5, refused_bytes: 2 MiB, cache_mib: 256}
                keys:
                  - {name: support, secret: {environment: SUPPORT}, scopes: [support:read, customers:read]}
                  - {name: all, secret: {sha256: 00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF}, scopes: [all], apps: com.example.app, environments: [Sandbox]}
                webhooks:
                  - name: crm
                    url: http://10.0.0.1/hooks
                    secrets: {environment: HOOK}
                    events: [subscription.*, "refund.*"]
                    payload: compatible
                    allow_private_networks: true
                recovery: {enabled: false, interval: 1h 30m, overlap: 1m, windows: 8, retention_days: 30}
                limits: {request_bytes: 1 MiB, buffered_bytes: 8 MiB, connections_per_address: 9, requests_per_second: 10, request_time: 5s}
                log: {level: debug, format: json}
                clock: http://127.0.0.1:8090/simulator

                """
        let configuration = try TestConfiguration.read(
            text,
            environment: [
                "SUPPORT": String(repeating: "s", count: 24),
                "HOOK": "whsec_" + Data(repeating: 7, count: 32).base64EncodedString(),
            ],
            files: [
                "/etc/counterfoil/chain.pem": TestConfiguration.file("-----BEGIN CERTIFICATE-----", 0o644),
                "/run/tls.pem": TestConfiguration.file("-----BEGIN PRIVATE KEY-----"),
            ]
        ).configuration
        let listen = configuration.listen
        #expect(listen.host == "0.0.0.0" && listen.port == 8443 && listen.publicURL == "https://purchases.example.com")
        #expect(listen.tls == .init(certificateFile: "/etc/counterfoil/chain.pem", keyFile: "/run/tls.pem"))
        #expect(listen.trustedProxies.map(\.description) == ["10.0.0.0/8", "2001:db8::/32"])
        #expect(listen.notificationNetworks?.map(\.description) == ["17.0.0.0/8"])
        #expect(listen.metrics == .local)
        #expect(configuration.trust.revocation == .off && configuration.trust.validationTime == .signingDate)
        #expect(configuration.trust.revocationHosts == ["ocsp.example.com", "127.0.0.1", "::1"])
        let storage = configuration.storage
        #expect(storage.path == "/var/lib/ledger.sqlite" && storage.synchronous == .normal)
        #expect(
            storage.maximumRefusedDeliveries == 5 && storage.cacheMiB == 256 && storage.maximumRefusedBytes == 2 << 20)
        let keys = configuration.keys
        #expect(keys.map(\.name) == ["support", "all"] && keys[0].scopes == [.supportRead, .customersRead])
        #expect(keys[0].hash == APIKeyText.hash(of: String(repeating: "s", count: 24)) && keys[0].apps == nil)
        #expect(keys[1].scopes == Set(APIScope.all) && keys[1].hash.prefix(3) == Data([0, 0x11, 0x22]))
        #expect(keys[1].apps == ["com.example.app"] && keys[1].environments == [.sandbox])
        let webhook = try #require(configuration.webhooks.first)
        #expect(webhook.events == ["subscription.*", "refund.*"] && webhook.payload == .compatible)
        #expect(webhook.secrets.first?.webhookKey == Array(repeating: 7, count: 32) && webhook.allowsPrivateNetworks)
        let recovery = configuration.recovery
        #expect(!recovery.isEnabled && recovery.interval == .seconds(5400) && recovery.overlap == .seconds(60))
        #expect(recovery.parallelWindows == 8 && recovery.retentionDays == 30)
        #expect(configuration.limits.requestBytes == 1 << 20 && configuration.limits.requestsPerSecond == 10)
        #expect(configuration.limits.requestTimeout == .seconds(5))
        #expect(configuration.limits.bufferedBytes == 8 << 20 && configuration.limits.connectionsPerAddress == 9)
        #expect(configuration.log.level == .debug && configuration.log.format == .json)
        #expect(configuration.clock == .simulator("http://127.0.0.1:8090/simulator"))
    }

    @Test func `Environment variables override the file, and empty ones are ignored`() throws {
        let text = TestConfiguration.smallest + "listen: {port: 8080}\nlog:\n"
        let environment = [
            "COUNTERFOIL_PORT": "9000", "COUNTERFOIL_HOST": "::1", "COUNTERFOIL_LOG_LEVEL": "trace",
            "COUNTERFOIL_STORAGE_PATH": "/data/ledger.sqlite", "COUNTERFOIL_RECOVERY_ENABLED": "false",
            "COUNTERFOIL_PUBLIC_URL": "https://example.com", "COUNTERFOIL_REVOCATION": "hard",
            "COUNTERFOIL_LOG_FORMAT": "json", "COUNTERFOIL_CLOCK": "system",
            "COUNTERFOIL_STORAGE_SYNCHRONOUS": "normal", "COUNTERFOIL_TLS_CERTIFICATE": "",
        ]
        let configuration = try TestConfiguration.read(text, environment: environment).configuration
        #expect(configuration.listen.port == 9000 && configuration.listen.host == "::1")
        #expect(configuration.listen.publicURL == "https://example.com" && configuration.listen.tls == nil)
        #expect(configuration.log.level == .trace && configuration.log.format == .json)
        #expect(configuration.storage.path == "/data/ledger.sqlite" && configuration.storage.synchronous == .normal)
        #expect(!configuration.recovery.isEnabled && configuration.trust.revocation == .hard)
        #expect(
            TestConfiguration.problems(text, environment: ["COUNTERFOIL_PORT": "http"])
                == [#"listen.port: "http" is not a whole number (from COUNTERFOIL_PORT)"#])
    }

    @Test func `The port of --port, not the overridden listen.port, is compared with the console's port`() throws {
        let text = TestConfiguration.smallest + "listen: {port: 8080}\nconsole: {enabled: true, listen: {port: 8080}}"
        let loaded = try TestConfiguration.read(text, environment: ["COUNTERFOIL_PORT": "8080"], port: 9000)
        #expect(loaded.configuration.listen.port == 9000)
        #expect(loaded.configuration.origins.origin(of: "listen.port") == "--port")
        let problems = TestConfiguration.problems(text, environment: ["COUNTERFOIL_PORT": "9000"], port: 8080)
        #expect(problems.contains { $0.hasPrefix("console.listen.port: is also listen.port") }, "\(problems)")
    }

    @Test func `The rule for customers who bought the app early is read`() throws {
        func app(_ entitlement: String) throws -> ServerConfiguration.App {
            let text = TestConfiguration.smallest + "    entitlements: {premium: \(entitlement)}\n"
            return try #require(try TestConfiguration.read(text).configuration.apps.first)
        }
        let both = try app("{products: [monthly], bought_before: {version: \"2.0\", date: 2024-03-01}}").catalogue
        #expect(both.entitlements == ["premium": ["monthly"]])
        #expect(
            both.originalPurchaseRules["premium"]
                == OriginalPurchaseRule(version: AppVersion("2.0"), date: Date(timeIntervalSince1970: 1_709_251_200)))
        let instant = try app("{bought_before: {date: 2024-03-01T09:30:00Z, counts_sandbox: true}}").catalogue
        #expect(instant.entitlements == ["premium": []])
        #expect(instant.originalPurchaseRules["premium"]?.date == Date(timeIntervalSince1970: 1_709_285_400))
        #expect(instant.originalPurchaseRules["premium"]?.countsTestData == true)
        // The same instant as in signed data, which contain milliseconds.
        let exact = try app("{bought_before: {date: \"2024-03-01T00:00:00.005Z\"}}").catalogue
        let date = try #require(exact.originalPurchaseRules["premium"]?.date)
        #expect(date == Date(millisecondsSince1970: 1_709_251_200_005))
        #expect(try app("{products: monthly}").catalogue.originalPurchaseRules.isEmpty)
    }

    @Test(arguments: [
        ("{products: [m], bought_before: {}}", "is missing"),
        ("{bought_before: {version: two}}", "is not a version"),
        ("{bought_before: {version: \"1.0-beta\"}}", "is not a version"),
        ("{bought_before: {date: 2024-02-30}}", "is not a day"),
        ("{bought_before: {date: yesterday}}", "is not a day"),
        ("{bought_before: {versions: \"2\"}}", "is not a key"),
        ("{product: [m]}", "is not a key"),
    ])
    func `Invalid rules for early customers are refused`(_ entitlement: String, _ message: String) {
        let text = TestConfiguration.smallest + "    entitlements: {premium: \(entitlement)}\n"
        #expect(
            TestConfiguration.problems(text).contains { $0.contains(message) }, "\(TestConfiguration.problems(text))")
    }

    @Test(arguments: ["[]", "{products: []}"])
    func `An entitlement without products is accepted, and a note says that only grants give it`(
        _ entitlement: String
    ) throws {
        let text = TestConfiguration.smallest + "    entitlements: {team: \(entitlement)}\n"
        let loaded = try TestConfiguration.read(text)
        #expect(loaded.configuration.apps.first?.catalogue.entitlements == ["team": []])
        let notes = loaded.warnings.filter { $0.path == "apps[0].entitlements.team" }.map(\.message)
        #expect(notes.count == 1 && notes.allSatisfy { $0.contains("only grants give it") }, "\(loaded.warnings)")
    }
}
