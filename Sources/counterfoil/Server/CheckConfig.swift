import AppStoreModels
import ArgumentParser
import CounterfoilServer
import Entitlements
import Foundation

/// `counterfoil check-config`: everything that is wrong with a configuration, before a server runs by it.
struct CheckConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Say everything that is wrong with a server's configuration, or what it amounts to.",
        discussion: """
            Reads the file, the keys and certificates it names and the environment, as counterfoil serve does, and \
            changes nothing. Notes are about what is allowed and may not be meant.

            EXAMPLES
              counterfoil check-config counterfoil.yaml
              COUNTERFOIL_PORT=9000 counterfoil check-config counterfoil.yaml --json
            """)

    @Argument(help: ArgumentHelp("The configuration, YAML.", valueName: "file")) var file = "counterfoil.yaml"

    @Flag(help: "Print one JSON object instead of text.") var json = false

    func run() throws {
        let loaded: LoadedConfiguration
        do { loaded = try LoadedConfiguration(contentsOf: URL(filePath: file)) } catch {
            if json {
                Output.line(JSONText.encode(ConfigurationReport.Refused(error)))
                throw Refusal(message: nil)
            }
            let style = Style.current()
            for problem in error.problems { Output.line(ConfigurationReport.line(problem, in: file, style)) }
            let count = error.problems.count
            throw Refusal(message: "\(file.printable): \(count == 1 ? "1 problem" : "\(count) problems")")
        }
        if json { return Output.line(JSONText.encode(ConfigurationReport.Accepted(loaded))) }
        ConfigurationReport.lines(loaded, in: file, Style.current()).forEach { Output.line($0) }
    }
}

/// What `counterfoil check-config` prints.
enum ConfigurationReport {
    /// What is said about one place of the file.
    struct Issue: Encodable {
        let path: String
        let message: String
        let line: Int?

        init(_ issue: ConfigurationIssue) {
            (path, message, line) = (issue.path, issue.message, issue.line)
        }
    }

    struct Refused: Encodable {
        let valid = false
        let problems: [Issue]

        init(_ error: ConfigurationError) { problems = error.problems.map(Issue.init) }
    }

    struct Accepted: Encodable {
        struct App: Encodable {
            let bundleId: String
            let environments: [String]
            let entitlements: [String: [String]]
            let hasKey: Bool
        }

        struct Key: Encodable {
            let name: String
            let scopes: [String]
            let isPublic: Bool

            enum CodingKeys: String, CodingKey {
                case name, scopes
                case isPublic = "public"
            }
        }

        struct Webhook: Encodable {
            let name: String
            let url: String
        }

        let valid = true
        let listen: String
        let storage: String
        let apps: [App]
        let keys: [Key]
        let webhooks: [Webhook]
        let notes: [Issue]

        init(_ loaded: LoadedConfiguration) {
            let configuration = loaded.configuration
            listen = ConfigurationReport.address(configuration.listen)
            storage = configuration.storage.path
            apps = configuration.apps.map { app in
                App(
                    bundleId: app.bundleId, environments: app.environments.map(\.rawValue).sorted(),
                    entitlements: app.catalogue.entitlements.mapValues { $0.sorted() }, hasKey: app.key != nil)
            }
            keys = configuration.keys.map { key in
                Key(name: key.name, scopes: key.scopes.map(\.rawValue).sorted(), isPublic: key.isPublic)
            }
            webhooks = configuration.webhooks.map { Webhook(name: $0.name, url: $0.url) }
            notes = loaded.notes.map(Issue.init)
        }
    }

    /// `counterfoil.yaml:12: apps[0].bundle_id: is missing`, which editors and terminals can jump to.
    static func line(_ issue: ConfigurationIssue, in file: String, _ style: Style) -> String {
        let place = file.printable + (issue.line.map { ":\($0)" } ?? "") + ":"
        let path = issue.path.isEmpty ? "" : style.strong(issue.path.printable) + ": "
        return "\(style.faint(place)) \(path)\(issue.message.printable)"
    }

    static func lines(_ loaded: LoadedConfiguration, in file: String, _ style: Style) -> [String] {
        let configuration = loaded.configuration
        var lines = ["\(style.good("valid")) \(file.printable)", ""]
        lines.append("listen      \(address(configuration.listen))")
        lines.append("storage     \(configuration.storage.path.printable)")
        for app in configuration.apps {
            let environments = app.environments.map(\.rawValue).sorted().joined(separator: ", ")
            lines.append("app         \(app.bundleId.printable), \(environments)\(app.key == nil ? ", no key" : "")")
            for (name, products) in app.catalogue.entitlements.sorted(by: { $0.key < $1.key }) {
                lines.append("  \(name)  \(style.faint(products.sorted().joined(separator: ", ").printable))")
            }
        }
        for key in configuration.keys {
            let scopes = key.scopes.count == APIScope.all.count ? "all" : list(key.scopes.map(\.rawValue))
            lines.append("key         \(key.name), \(scopes)\(key.isPublic ? ", public" : "")")
        }
        for webhook in configuration.webhooks { lines.append("webhook     \(webhook.name), \(webhook.url.printable)") }
        if !loaded.notes.isEmpty { lines += ["", style.strong("notes")] }
        return lines + loaded.notes.map { line($0, in: file, style) }
    }

    private static func list(_ texts: [String]) -> String { texts.sorted().joined(separator: ", ") }

    private static func address(_ listen: ServerConfiguration.Listen) -> String {
        let host = listen.host.contains(":") ? "[\(listen.host)]" : listen.host
        return "\(listen.tls == nil ? "http" : "https")://\(host):\(listen.port)".printable
    }
}
