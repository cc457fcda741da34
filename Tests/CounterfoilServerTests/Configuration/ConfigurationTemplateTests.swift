@testable import LedgerServices
import AppStoreModels
import AppStoreServer
import AppStoreTrust
import CounterfoilServer
import Entitlements
import Foundation
import Testing

@testable import Ledger

@Suite struct `Generated configuration` {
    private typealias Test = TestConfiguration

    private static let files = [
        "/etc/counterfoil/AuthKey_ABC123DEFG.p8": Test.file(Test.privateKey),
        "/etc/counterfoil/fullchain.pem": Test.file("-----BEGIN CERTIFICATE-----", 0o644),
        "/etc/counterfoil/privkey.pem": Test.file("-----BEGIN PRIVATE KEY-----"),
    ]
    private static let environment = [
        "APP_SHARED_SECRET": "shared", "CUSTOMER_TOKEN_SECRET": String(repeating: "t", count: 32),
        "COUNTERFOIL_APP_KEY": String(repeating: "k", count: 24),
        "CONSOLE_SECRET": String(repeating: "c", count: 32),
        "ANSWER_KEY": Data(repeating: 1, count: 32).base64EncodedString(),
        "WEBHOOK_SECRET": "whsec_" + Data(repeating: 1, count: 24).base64EncodedString(),
    ]
    private static let hash = String(repeating: "0a", count: 32)

    @Test func `The template with its key file reads without a problem and with a note for each open value`() throws {
        let text = ConfigurationTemplate(keyHash: Self.hash).text
        let loaded = try Test.read(text, files: Self.files)
        let notes = loaded.warnings.map(\.path).sorted()
        #expect(notes == ["apps[0]", "apps[0].apple_id", "apps[0].bundle_id", "apps[0].key"])
        var template = ConfigurationTemplate(keyHash: Self.hash)
        (template.bundleID, template.appAppleID, template.issuerID) = ("com.example.shop", 1, "xyz")
        template.entitlements = [("premium", ["monthly"])]
        let wrong = try Test.read(template.text, files: Self.files).warnings
        #expect(wrong.map(\.path) == ["apps[0].key"] && wrong.allSatisfy { $0.message.contains("UUID") })
        template.issuerID = "69a6de70-03db-47e3-e053-5b8c7c11a4d1"
        #expect(try Test.read(template.text, files: Self.files).warnings.isEmpty)
        template.issuerID = "xyz"
        template.baseURLs = ("http://127.0.0.1:1/p", "http://127.0.0.1:1/s")
        #expect(try !Test.read(template.text, files: Self.files).warnings.contains { $0.path == "apps[0].key" })
        let configuration = loaded.configuration
        #expect(configuration.listen == .init() && configuration.limits == .init() && configuration.clock == .system)
        #expect(configuration.keys.map(\.name) == ["first"] && configuration.keys[0].apps == nil)
        #expect(configuration.keys[0].environments == nil && configuration.keys[0].scopes == Set(APIScope.all))
    }

    @Test func `The template with all settings uncommented has the defaults and examples`() throws {
        let text = Self.uncommented(ConfigurationTemplate(keyHash: Self.hash).text)
        let loaded = try Test.read(text, environment: Self.environment, files: Self.files)
        let (configuration, defaults) = (loaded.configuration, ServerConfiguration(apps: []))
        #expect(configuration.recovery == defaults.recovery && configuration.limits == defaults.limits)
        #expect(configuration.log == defaults.log && configuration.clock == .system)
        #expect(configuration.trust.anchors == .apple && configuration.trust.receiptAnchors == .apple)
        #expect(configuration.storage.maximumRefusedDeliveries == defaults.storage.maximumRefusedDeliveries)
        #expect(configuration.storage.maximumRefusedBytes == defaults.storage.maximumRefusedBytes)
        #expect(configuration.listen.metrics == defaults.listen.metrics)
        #expect(configuration.storage.cacheMiB == defaults.storage.cacheMiB && configuration.listen.tls != nil)
        let app = try #require(configuration.apps.first)
        #expect(app.consumption == ConsumptionPolicy() && app.restorePolicy == .transfer)
        #expect(app.hosts == [.production: .production, .sandbox: .sandbox] && app.sharedSecrets.count == 1)
        #expect(
            app.catalogue.durations.count == 1 && app.catalogue.levels.count == 1
                && app.catalogue.consumables.count == 1)
        #expect(app.catalogue.entitlements.keys.sorted() == ["premium"])
        #expect(configuration.keys.map(\.isPublic) == [false, true] && configuration.webhooks.count == 1)
    }

    /// Removes the `#` of commented settings, and prose. Prose has exactly one blank after the `#`.
    private static func uncommented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            guard let mark = line.firstIndex(of: "#"), line[..<mark].allSatisfy({ $0 == " " }) else {
                return String(line)
            }
            let rest = line[line.index(after: mark)...]
            let isSetting = !rest.isEmpty && (!rest.hasPrefix(" ") || rest.hasPrefix("  "))
            return isSetting ? String(line[..<mark] + rest) : ""
        }.joined(separator: "\n")
    }

    @Test func `The template quotes all values of a simulator correctly`() throws {
        var template = ConfigurationTemplate(keyHash: Self.hash)
        template.bundleID = "com.example.\"quoted\" # app"
        template.keyFile = "/tmp/a folder: \\here/key.p8"
        template.sharedSecret = "s{e}cret"
        template.baseURLs = ("http://127.0.0.1:1/p", "http://127.0.0.1:1/s")
        template.revocationHosts = ["127.0.0.1"]
        template.clock = "http://127.0.0.1:1/simulator"
        template.entitlements = [("premium", ["a", "b"]), ("unlock", ["c"])]
        template.products = [
            ("a", .subscription(group: "2\"1", level: 2)), ("coins", .consumable), ("pass", .duration(.month)),
        ]
        let configuration = try Test.read(template.text, files: [template.keyFile: Test.file(Test.privateKey)])
            .configuration
        let app = try #require(configuration.app(template.bundleID))
        #expect(app.sharedSecrets.map(\.revealed) == ["s{e}cret"] && app.key != nil)
        #expect(app.hosts[.production]?.url == "http://127.0.0.1:1/p")
        #expect(app.catalogue.entitlements == ["premium": ["a", "b"], "unlock": ["c"]])
        #expect(app.catalogue.levels == ["a": 2] && app.catalogue.groups == ["a": "2\"1"])
        #expect(app.catalogue.durations == ["pass": .month])
        #expect(app.catalogue.consumables == ["coins"])
        #expect(configuration.trust.revocationHosts == ["127.0.0.1"])
        #expect(configuration.clock == .simulator("http://127.0.0.1:1/simulator"))
    }

    @Test func `The documentation names every setting of the template and every variable`() throws {
        let page = try String(
            contentsOf: URL(filePath: #filePath).appending(path: "../../../../docs/configuration.md").standardized,
            encoding: .utf8)
        for setting in EnvironmentOverrides.settings {
            #expect(page.contains("`\(setting.variable)`"), "\(setting.variable)")
        }
        let text = Self.uncommented(ConfigurationTemplate(keyHash: Self.hash).text)
        let keys = text.matches(of: /([a-z_]+):(?=[ \n])/).map { String($0.1) }
        #expect(keys.count > 50)
        let examples: Set = ["premium", "pass", "yearly", "coins"]
        // Only whole words in code count: a short key is a part of many words.
        let words = page.matches(of: /`([^`\n]+)`/).flatMap { match in
            match.1.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
        }
        #expect(Set(keys).subtracting(examples).subtracting(words) == [])
    }
}
