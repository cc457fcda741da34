import AppStoreServer
import Foundation
import Testing

@testable import CounterfoilServer
@testable import Ledger

/// The configuration that the console and the API show.
@Suite struct `Effective configuration` {
    /// The values of all settings that hold a secret or may hold one. None of them may be shown.
    private static let hidden = [
        "account-shared-secret-text", "app-shared-secret-text", "customer-token-secret-of-32-bytes-or-more",
        "console-secret-of-24-letters-or-more", "api-key-text-with-24-letters-or-more",
        "path-of-a-url", "query-of-a-url", String(repeating: "A", count: 43),
        "BwcHBwcH", "/run/secrets/tls.key",
    ]

    private static let yaml = """
        account_shared_secrets: [{environment: ACCOUNT}]
        apps:
          - bundle_id: com.example.app
            apple_id: 1234567890
            key:
              - {issuer_id: issuer, key_id: KEY1, private_key: {file: /keys/one.p8}}
              - {issuer_id: issuer, key_id: KEY0, private_key: {environment: FORMER}}
            offers: {key_id: KEY2, private_key: {environment: OFFERS}}
            shared_secrets: [{environment: SHARED}]
            customer_token_secret: {environment: TOKENS}
            answer_key: {environment: ANSWERS}
            base_urls: {sandbox: "http://127.0.0.1:8090/path-of-a-url"}
            entitlements: {premium: [monthly]}
            consumption: {default_consent: true}
        keys:
          - {name: all, secret: {environment: KEY}, scopes: [all]}
          - {name: hashed, secret: {sha256: "\(String(repeating: "ab", count: 32))"}, scopes: ["customers:read"]}
        webhooks:
          - name: backend
            url: https://example.com/path-of-a-url?query-of-a-url=1
            secrets: [{environment: HOOK}]
        listen:
          port: 9090
          tls: {certificate: /run/secrets/tls.pem, key: /run/secrets/tls.key}
        console: {enabled: true, secret: {environment: CONSOLE}, listen: {host: "::1", port: 9091}}
        clock: http://127.0.0.1:8090/path-of-a-url

        """

    private static func read() throws -> ServerConfiguration {
        let environment = [
            "ACCOUNT": hidden[0], "SHARED": hidden[1], "TOKENS": hidden[2], "CONSOLE": hidden[3], "KEY": hidden[4],
            "ANSWERS": String(repeating: "A", count: 43) + "=", "FORMER": TestConfiguration.privateKey,
            "OFFERS": TestConfiguration.privateKey,
            "HOOK": "whsec_" + Data(repeating: 7, count: 32).base64EncodedString(), "COUNTERFOIL_LOG_LEVEL": "debug",
        ]
        return try TestConfiguration.read(
            yaml, environment: environment,
            files: [
                "/keys/one.p8": TestConfiguration.file(TestConfiguration.privateKey),
                "/run/secrets/tls.pem": TestConfiguration.file("-----BEGIN CERTIFICATE-----"),
                "/run/secrets/tls.key": TestConfiguration.file("-----BEGIN PRIVATE KEY-----"),
            ]
        ).configuration
    }

    @Test func `The shown configuration contains no secret, no key and only the host of a URL`() throws {
        let configuration = try Self.read()
        let text = EffectiveConfiguration(configuration).settings.map { "\($0.path): \($0.value)" }
            .joined(separator: "\n")
        let key = configuration.keys.map { $0.hash.map { String(format: "%02x", $0) }.joined() }
        let secrets =
            Self.hidden + key + ["whsec_", "BEGIN"]
            + TestConfiguration.privateKey.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("-----") }
        for secret in secrets { #expect(!text.contains(secret), "\(secret)") }
        for line in [
            "apps[0].shared_secrets: 2 set", "apps[0].key: KEY1, KEY0", "apps[0].answer_key: set",
            "apps[0].customer_token_secret: set", "keys[0].secret: set", "webhooks[0].url: https://example.com/…",
            "webhooks[0].secrets: 1 set", "listen.tls.key: set", "console.secret: set", "console.listen: [::1]:9091",
            "listen.port: 9090", "recovery.interval: 15m", "limits.request_time: 30s", "log.level: debug",
        ] { #expect(text.contains(line), "\(line)") }
    }

    @Test func `The shown configuration names the origin of each setting`() throws {
        let configuration = try Self.read()
        let origins = configuration.origins
        #expect(origins.origin(of: "log.level") == "COUNTERFOIL_LOG_LEVEL")
        #expect(origins.origin(of: "recovery.interval") == "default")
        for path in ["listen.port", "apps[0].bundle_id", "keys[1].scopes", "webhooks[0].url", "apps[0].entitlements"] {
            #expect(origins.origin(of: path).hasPrefix("line "), "\(path)")
        }
    }
}
