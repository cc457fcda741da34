import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Testing

/// As in a program outside this package, the imports are only those of products.
@Suite struct `A configuration in code` {
    @Test func `A program sets every kind of setting with no further import`() {
        var app = ServerConfiguration.App(bundleID: "com.example.app", environments: [.production])
        app.sharedSecrets = [Secret("shared")]
        app.restorePolicy = .keepOriginal
        app.consumption = ConsumptionPolicy(defaultConsent: true, deliveryStatus: .delivered)
        app.responseSigningKey = ServerConfiguration.ResponseSigningKey(base64: "short")
        var webhook = ServerConfiguration.Webhook(
            name: "backend", url: "https://backend.example.com", secrets: [Secret("webhook")])
        webhook.payload = .compatible
        var configuration = ServerConfiguration(apps: [app])
        configuration.webhooks = [webhook]
        configuration.recovery.parallelWindows = 2
        configuration.listen.trustedProxies = ["10.0.0.0/8", "none"].compactMap { Network($0) }

        #expect(configuration.app("com.example.app")?.environments == [.production, .sandbox])
        #expect(configuration.apps.first?.sharedSecrets.first?.matches("shared") == true)
        #expect(configuration.apps.first?.consumption?.defaultConsent == true)
        #expect(configuration.apps.first?.responseSigningKey == nil)
        #expect(configuration.listen.trustedProxies.map { $0.contains("10.1.2.3") } == [true])
    }

    @Test func `A program creates the errors of a server, for its own tests`() {
        #expect(ServerError(.portInUse, "port 8080 is taken").code == .portInUse)
        let problem = ConfigurationIssue(path: "apps[0].bundle_id", message: "is missing", line: 12)
        #expect(ConfigurationError(problems: [problem]).message == "apps[0].bundle_id: is missing, line 12")
    }
}
