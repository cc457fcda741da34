import AppStoreModels
import AppStoreServer
import AppStoreTrust
import Entitlements
import Foundation
import TestSupport
import Testing

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

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
        #expect(notes == ["apps[0]", "apps[0].apple_id", "apps[0].bundle_id", "apps[0].key", "apps[0].key"])
        // As long as a systemd unit does not run, the key file is missing.
        let credential = text.replacing("AuthKey_ABC123DEFG.p8", with: "/run/credentials/a.service/key.p8")
        let messages = try Test.read(credential, secrets: .present).warnings.map(\.message)
        for name in ["issuer_id is not", "key_id is not"] {
            #expect(messages.count(where: { $0.hasPrefix(name) }) == 1, "\(messages)")
        }
        var template = ConfigurationTemplate(keyHash: Self.hash)
        (template.bundleID, template.appAppleID, template.issuerID) = ("com.example.shop", 1, "xyz")
        template.entitlements = [("premium", ["monthly"])]
        template.keyID = "2X9R4HXF34"
        let wrong = try Test.read(template.text, files: Self.files).warnings
        #expect(wrong.map(\.path) == ["apps[0].key"] && wrong.allSatisfy { $0.message.contains("UUID") })
        (template.issuerID, template.keyID) = ("69a6de70-03db-47e3-e053-5b8c7c11a4d1", "AuthKey_2X9R4HXF34.p8")
        let named = try Test.read(template.text, files: Self.files).warnings
        #expect(named.map(\.path) == ["apps[0].key"] && named.allSatisfy { $0.message.hasPrefix("key_id") })
        template.keyID = "2X9R4HXF34"
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

    // MARK: Agreement with the reader, the shown configuration and the documentation

    /// A setting in a table of the documentation.
    private struct DocumentedSetting {
        /// The path, such as `keys[].name`.
        var path: String
        /// The default; nil if it is described instead of written as in the file.
        var value: String?
        var variable: String
    }

    private static func page() throws -> String { try Fixtures.file("docs/configuration.md") }

    private static func documentation() throws -> [DocumentedSetting] {
        try page().split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { row -> [DocumentedSetting] in
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            // The rows about `bought_before` have no default. It is below an entitlement, and not shown.
            guard cells.count > 2 else { return [] }
            let value = cells[2].wholeMatch(of: /`([^`]+)`|[0-9]+/).map { String($0.output.1 ?? $0.output.0) }
            let variable = cells.count > 3 ? cells[3].filter { $0 != "`" } : ""
            return cells[0].matches(of: /`([a-z_.\[\]]+)`/).map { match in
                let name = String(match.output.1)
                let path = name.contains(".") || name == "clock" ? name : "apps[].\(name)"
                return DocumentedSetting(path: path, value: value, variable: variable)
            }
        }
    }

    /// The settings in effect with these values, and with those that are required.
    private static func shown(_ values: [DocumentedSetting] = []) throws -> [EffectiveConfiguration.Setting] {
        var sections = [
            "apps[]": Test.smallest,
            "keys[]": "keys:\n  - name: backend\n    secret: {sha256: \(hash)}\n    scopes: [all]\n",
            "webhooks[]": """
            webhooks:
              - name: backend
                url: https://example.com
                secrets: [{environment: WEBHOOK_SECRET}]

            """,
        ]
        for setting in values {
            guard let value = setting.value else { continue }
            let names = setting.path.split(separator: ".", maxSplits: 1).map(String.init)
            if names.count == 2 {
                let indentation = names[0].hasSuffix("[]") ? "    " : "  "
                sections[names[0], default: "\(names[0]):\n"] += "\(indentation)\(names[1]): \"\(value)\"\n"
            } else {
                sections[setting.path] = "\(setting.path): \"\(value)\"\n"
            }
        }
        let loaded = try Test.read(sections.values.joined(), environment: environment)
        return EffectiveConfiguration(loaded.configuration).settings
    }

    /// Returns the path without the numbers of the elements.
    private static func plain(_ path: String) -> String { path.replacing(/\[\d+\]/, with: "[]") }

    private static func isPart(_ path: String, of other: String) -> Bool {
        path == other || path.hasPrefix(other + ".") || path.hasPrefix(other + "[")
    }

    @Test func `The template, the shown configuration and the documentation have the same settings`() throws {
        let text = Self.uncommented(ConfigurationTemplate(keyHash: Self.hash).text)
        let configuration = try Test.read(text, environment: Self.environment, files: Self.files).configuration
        let shown = Set(EffectiveConfiguration(configuration).settings.map { Self.plain($0.path) })
        let written = Set(configuration.origins.lines.keys.filter { !$0.isEmpty }.map { Self.plain($0) })
        let documented = Set(try Self.documentation().map(\.path))
        #expect(shown.count > 60 && documented.count > 60)
        #expect(shown.subtracting(written) == [])
        let hidden = written.filter { path in
            !shown.contains { Self.isPart(path, of: $0) || Self.isPart($0, of: path) }
        }
        #expect(hidden == [])
        let undocumented = shown.filter { path in !documented.contains { Self.isPart(path, of: $0) } }
        #expect(undocumented == [])
        let unknown = documented.filter { path in !shown.contains { Self.isPart($0, of: path) } }
        #expect(unknown == [])
    }

    /// The paths of nested keys have no rows in the tables, so this test compares only names.
    @Test func `The template and the documentation have every key that is read`() throws {
        let folder = Fixtures.package.appending(path: "Sources/CounterfoilServer/Configuration/Reading")
        var keys: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            // The methods of `Section` take the key first, those of the reader after the section.
            let calls = try String(contentsOf: file, encoding: .utf8)
                .matches(of: /\w\(\s*(?:&\w+, )?"([a-z0-9_]+)"/)
            keys.formUnion(calls.map { String($0.output.1) })
        }
        #expect(keys.count > 80)
        let template = ConfigurationTemplate(keyHash: Self.hash).text
        // Only whole words count: a short key is a part of many words. In the documentation only code counts.
        let words = template.matches(of: /[a-z0-9_]+/).map { String($0.output) }
        #expect(keys.subtracting(words) == ["counts_sandbox"])
        let codes = try Self.page().matches(of: /`([^`\n]+)`/).flatMap { match in
            match.output.1.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
        }
        #expect(keys.subtracting(codes) == [])
    }

    @Test func `The documentation and the template show the defaults`() throws {
        let documented = try Self.documentation().filter { $0.value != nil }
        #expect(documented.count > 30)
        let (expected, defaults) = (Set(try Self.shown(documented)), try Self.shown())
        #expect(expected.symmetricDifference(defaults) == [])

        let values = Dictionary(uniqueKeysWithValues: defaults.map { ($0.path, $0.value) })
        let paths = Set(documented.map(\.path))
        let text = Self.uncommented(ConfigurationTemplate(keyHash: Self.hash).text)
        let configuration = try Test.read(text, environment: Self.environment, files: Self.files).configuration
        let others = EffectiveConfiguration(configuration).settings.filter { setting in
            guard let value = values[setting.path] else { return false }
            return paths.contains(Self.plain(setting.path)) && value != setting.value
        }
        // The template shows how to enable the console.
        #expect(others.map(\.path) == ["console.enabled"])
    }

    @Test func `The documentation has the variable of each setting`() throws {
        let documented = try Self.documentation().filter { !$0.variable.isEmpty }
        #expect(
            Dictionary(uniqueKeysWithValues: documented.map { ($0.path, $0.variable) })
                == Dictionary(uniqueKeysWithValues: EnvironmentOverrides.settings.map { ($0.path, $0.variable) }))
    }
}
