import AppStoreModels
import ArgumentParser
internal import Basics
import CounterfoilServer
import Entitlements
import Foundation
internal import Ledger
internal import LedgerServices

/// `counterfoil server check`: lists every problem of a configuration before a server uses it.
struct ServerCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a configuration and list every problem.",
        discussion: """
            Reads the file, its key and certificate files and the environment variables, as counterfoil server run does, \
            and changes nothing. If there is no problem it prints a summary. Notes point out settings that are allowed but \
            perhaps not intended, credentials of a systemd unit (LoadCredential=) that exist only while it runs, and hosts of \
            webhooks and base URLs for which this machine finds no address within five seconds.

            With --online it asks the App Store, for each app and environment, to send a test notification, and waits up to \
            a minute for its delivery. This checks the key, the base URL, the notification URL and the roots; if something \
            is wrong it says what to do and exits with status 1. The server has to be running, and the user of this command \
            must be able to read the key file.

            EXAMPLES
              counterfoil server check counterfoil.yaml
              counterfoil server check counterfoil.yaml --online
              counterfoil server check counterfoil.yaml --online --app com.example.app
              COUNTERFOIL_PORT=9000 counterfoil server check counterfoil.yaml --json

            Exit status: 0 valid, 1 it has problems, or a check of --online failed, 2 wrong usage.
            """)

    @Argument(
        help: ArgumentHelp("The configuration, YAML. Default: counterfoil.yaml.", valueName: "file"),
        completion: .file(), transform: HomeFolder.path)
    var file: String?

    @Option(
        help: ArgumentHelp("The configuration, named as for the other commands.", valueName: "file"),
        completion: .file(), transform: HomeFolder.path)
    var config: String?

    @Flag(help: "Print one JSON object instead of text.") var json = false

    @Flag(help: "Request a test notification and report whether it arrived.") var online = false

    @Option(
        help: ArgumentHelp("Check only this app with --online. May be repeated.", valueName: "bundle-id"))
    var app: [String] = []

    func validate() throws {
        guard app.isEmpty || online else { throw ValidationError("--app limits --online, which is missing.") }
        guard file == nil || config == nil else { throw ValidationError("Name one configuration, not two.") }
    }

    func run() async throws {
        let file = file ?? config ?? "counterfoil.yaml"
        try Input.requireFile(file, remedy: "write one with: counterfoil server init")
        var loaded: LoadedConfiguration
        // The online check sends requests to the App Store, so the key must be readable.
        let secrets: SecretReading = online ? .all : .present
        do {
            loaded = try LoadedConfiguration(contentsOf: URL(filePath: file), secrets: secrets)
                .requiringUsableTLS(at: Date()).requiringLedgerFile().addingExpirationWarnings(at: Date())
        } catch {
            if !json {
                let style = Style.current()
                for problem in error.problems { Output.line(ConfigurationReport.line(problem, in: file, style)) }
            }
            let count = error.problems.count
            let message = "\(file.printable) has \(count) \(count.noun("problem"))"
            let report = ConfigurationReport.Refused(message: message, problems: error.problems)
            throw Refusal(code: report.code, message: message, object: JSONText.encode(report))
        }
        loaded = try await loaded.addingHostWarnings(lookUp: WebhookTarget.systemAddresses)
        let outcomes = online ? try await checkOnline(loaded.configuration) : nil
        if json {
            Output.line(JSONText.encode(ConfigurationReport.Accepted(loaded, outcomes)))
        } else {
            let style = Style.current()
            let lines = ConfigurationReport.lines(loaded, in: file, style)
            (lines + OnlineReport.lines(outcomes ?? [], style)).forEach { Output.line($0) }
        }
        let failed = (outcomes ?? []).count { !$0.isGood }
        guard failed == 0 else {
            throw Refusal(code: "online_check_failed", message: "\(failed) of \(outcomes?.count ?? 0) checks failed")
        }
    }

    private func checkOnline(_ configuration: ServerConfiguration) async throws -> [OnlineCheck.Outcome] {
        var configuration = configuration
        if let unknown = app.first(where: { configuration.app($0) == nil }) {
            throw Refusal(code: "unknown_app", message: "\(unknown.printable) is not in the configuration")
        }
        if !app.isEmpty {
            configuration.apps.removeAll { one in !app.contains { $0.isExactly(one.bundleID) } }
        }
        do { return try await OnlineCheck(configuration).run() } catch {
            throw Refusal(
                code: "app_store_unavailable",
                message: "the request to the App Store failed: \(error.logReason.printable)")
        }
    }
}

/// The output of `counterfoil server check --online` for each app and environment.
enum OnlineReport {
    struct Item: Encodable {
        let app, environment: String
        let host: String?
        let result, message: String
        let advice: String?
        let attemptedAt: Int64?

        init(_ outcome: OnlineCheck.Outcome) {
            (app, environment, host) = (outcome.bundleID, outcome.environment.rawValue, outcome.host)
            (result, message) = (outcome.finding.code, outcome.finding.message)
            advice = outcome.finding.advice.isEmpty ? nil : outcome.finding.advice
            attemptedAt = outcome.attemptedAt
        }
    }

    static func lines(_ outcomes: [OnlineCheck.Outcome], _ style: Style) -> [String] {
        guard !outcomes.isEmpty else { return [] }
        return ["", style.strong("online")] + outcomes.flatMap { lines($0, style) }
    }

    private static func lines(_ outcome: OnlineCheck.Outcome, _ style: Style) -> [String] {
        let finding = outcome.finding
        let word = outcome.isGood ? style.good(finding.code) : style.bad(finding.code)
        let time = outcome.attemptedAt.map { ", \(Date(milliseconds: $0).readable)" } ?? ""
        let place = "\(outcome.bundleID), \(outcome.environment.rawValue)".printable
        let line = "\(word)  \(place): \(finding.message.printable)\(time)"
        return finding.advice.isEmpty ? [line] : [line, "  \(finding.advice.printable)"]
    }
}

/// The output of `counterfoil server check`.
enum ConfigurationReport {
    struct Refused: Encodable {
        let object = "error"
        let code = "invalid_configuration"
        let message: String
        let valid = false
        let problems: [ConfigurationIssue]
    }

    struct Accepted: Encodable {
        struct App: Encodable {
            let bundleId: String
            let environments: [String]
            let entitlements: [String: [String]]
            let hasKey: Bool
        }

        struct Webhook: Encodable {
            let name, url: String
        }

        let valid = true
        let listen, storage: String
        let apps: [App]
        let keys: [KeyReport]
        let webhooks: [Webhook]
        let notes: [ConfigurationIssue]
        let online: [OnlineReport.Item]?

        init(_ loaded: LoadedConfiguration, _ outcomes: [OnlineCheck.Outcome]? = nil) {
            online = outcomes?.map(OnlineReport.Item.init)
            let configuration = loaded.configuration
            listen = ConfigurationReport.address(configuration.listen)
            storage = configuration.storage.path
            apps = configuration.apps.enumerated().map { index, app in
                App(
                    bundleId: app.bundleID, environments: app.environments.map(\.rawValue).sorted(),
                    entitlements: app.catalogue.entitlements.mapValues { $0.sorted() },
                    hasKey: ConfigurationReport.hasKey(loaded, index))
            }
            keys = configuration.keys.map(KeyReport.init)
            webhooks = configuration.webhooks.map {
                Webhook(name: $0.name, url: ServerConfiguration.redacted(url: $0.url))
            }
            notes = loaded.warnings
        }
    }

    /// Returns a line such as `counterfoil.yaml:12: apps[0].bundle_id: is missing`. Editors and terminals can open the
    /// location.
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
        for (index, app) in configuration.apps.enumerated() {
            let environments = app.environments.map(\.rawValue).sorted().joined(separator: ", ")
            let remark = hasKey(loaded, index) ? "" : ", no key"
            lines.append("app         \(app.bundleID.printable), \(environments)\(remark)")
            for (name, products) in app.catalogue.entitlements.sorted(by: { $0.key < $1.key }) {
                lines.append("  \(name)  \(style.faint(products.sorted().joined(separator: ", ").printable))")
            }
        }
        for key in configuration.keys.map(KeyReport.init) {
            let limits = (key.apps ?? []) + (key.environments ?? [])
            let remark = limits.isEmpty ? "" : ", only " + limits.joined(separator: ", ").printable
            lines.append("key         \(key.name), \(key.scopeNames)\(remark)\(key.isPublic ? ", public" : "")")
        }
        for webhook in configuration.webhooks {
            lines.append("webhook     \(webhook.name), \(ServerConfiguration.redacted(url: webhook.url).printable)")
        }
        if !loaded.warnings.isEmpty { lines += ["", style.strong("notes")] }
        return lines + loaded.warnings.map { line($0, in: file, style) }
    }

    /// Whether an app has a key for the App Store Server API, or one that only the running server can read.
    private static func hasKey(_ loaded: LoadedConfiguration, _ index: Int) -> Bool {
        loaded.configuration.apps[index].key != nil || loaded.hasMissingCredential(in: "apps[\(index)].key")
    }

    private static func address(_ listen: ServerConfiguration.Listen) -> String {
        let authority = ServerConfiguration.authority(listen.host, listen.port)
        return "\(listen.tls == nil ? "http" : "https")://\(authority)".printable
    }
}
