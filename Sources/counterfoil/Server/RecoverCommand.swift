import AppStoreModels
import ArgumentParser
import Basics
import CounterfoilServer
import Foundation
internal import Ledger
internal import LedgerServices

/// `counterfoil server recover`: fetches missed notifications from the App Store's notification history.
struct RecoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Fetch missed notifications from the App Store.",
        discussion: """
            Works on the ledger of a stopped server, or, with --url and --key, through a running server. Without --from it \
            continues from the completeness mark of a stopped server's ledger.

            Instants are ISO 8601, a day, or milliseconds since 1970. The App Store keeps 180 days of notifications.

            EXAMPLES
              counterfoil server recover --from 2026-05-01 --to 2026-05-04T12:00:00Z
              counterfoil server recover --from 2026-05-01 --type DID_RENEW --type EXPIRED
              COUNTERFOIL_KEY=cfk_… counterfoil server recover --from 2026-05-01 \\
                --url https://purchases.example.com

            Exit status: 0 done, 1 refused or failed, 2 wrong usage.
            """)

    @OptionGroup var options: OfflineOptions

    @Option(help: ArgumentHelp("The start of the period, such as 2026-05-01.", valueName: "instant"))
    var from: InstantArgument?
    @Option(help: ArgumentHelp("The end of the period. Default: now.", valueName: "instant")) var to: InstantArgument?
    @Option(
        name: .customLong("type"),
        help: ArgumentHelp("Only this type, such as EXPIRED or EXPIRED.VOLUNTARY. May be repeated.", valueName: "type"),
        completion: .list(NotificationKind.all.map(\.name)))
    var types: [String] = []

    @Option(help: ArgumentHelp("The running server.", valueName: "url")) var url: String?
    @Option(
        help: ArgumentHelp("A file with an API key of the server. Default: $COUNTERFOIL_KEY.", valueName: "file"),
        completion: .file(), transform: HomeFolder.path)
    var key: String?

    @Flag(help: "Print one JSON object a line instead of text.") var json = false

    func validate() throws {
        if let from, let to, from.milliseconds >= to.milliseconds {
            throw ValidationError("--from must be before --to.")
        }
        if from == nil, to != nil || !types.isEmpty || url != nil {
            throw ValidationError("--to, --type and --url need --from.")
        }
        guard key == nil || url != nil else {
            throw ValidationError("--key needs --url, the URL of the running server.")
        }
        for type in types where NotificationFilter.named(type).isEmpty {
            throw ValidationError("--type: \(type) is not a notification type of the App Store.")
        }
    }

    func run() async throws {
        var (outcomes, failures): ([RecoveryOutcome], [String]) = ([], [])
        if let url, let from {
            let server = RecoveryClient(server: try ServerClient(url: url, keyFile: key))
            outcomes = try await server.recover(from: from.milliseconds, to: to?.milliseconds, types, options)
        } else {
            (outcomes, failures) = try await options.run(takesURL: true) { try await recover($0.recovery, $0.storage) }
        }
        for outcome in outcomes { Output.line(json ? JSONText.encode(outcome) : outcome.line(Style.current())) }
        let incomplete = outcomes.count { $0.state != "done" || $0.failed > 0 }
        if incomplete > 0 { failures.insert("\(incomplete) of \(outcomes.count) recoveries are incomplete", at: 0) }
        guard failures.isEmpty else {
            throw Refusal(code: "recovery_incomplete", message: failures.joined(separator: "; "))
        }
    }

    /// Recovers each selected app and environment, one after the other.
    ///
    /// - Returns: The outcomes, and a message for each app and environment whose recovery failed.
    private func recover(
        _ recovery: Recovery, _ storage: any RecoveryStorage
    ) async throws -> ([RecoveryOutcome], [String]) {
        var (outcomes, failures): ([RecoveryOutcome], [String]) = ([], [])
        for appEnvironment in try options.scopes(of: recovery) {
            let before = try await storage.recoveries(in: [appEnvironment.id], before: nil, limit: 1).first?.id ?? 0
            if let from {
                do {
                    let plan = try recovery.plan(
                        appEnvironment, from: from.milliseconds, until: to?.milliseconds,
                        filters: types.flatMap(NotificationFilter.named))
                    _ = try await recovery.request(plan)
                } catch let failure as ServiceFailure {
                    throw Refusal(code: failure.code, message: failure.message)
                }
            }
            // Without --from, recover everything signed since the completeness mark.
            let cause: RecoveryRun.Cause? = from == nil ? .request : nil
            let result = await showingProgress(of: appEnvironment, storage) {
                try await recovery.runPass(appEnvironment, because: cause)
            }
            for run in try await storage.recoveries(in: [appEnvironment.id], before: nil, limit: 10).reversed()
            where run.id > before {
                outcomes.append(RecoveryOutcome(run, appEnvironment))
            }
            if case .failure(let error) = result {
                failures.append(
                    "\(appEnvironment.bundleID), \(appEnvironment.environment.rawValue): \(error.logReason)".printable)
            }
        }
        return (outcomes, failures)
    }

    /// Runs `body` while a progress bar shows the scope's open recovery.
    private func showingProgress(
        of appEnvironment: AppEnvironment, _ storage: any RecoveryStorage, _ body: () async throws -> Void
    ) async -> Result<Void, any Error> {
        // The bar is cancelled when `body` has ended.
        async let _: Void = Self.show(appEnvironment, storage)
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    private static func show(_ appEnvironment: AppEnvironment, _ storage: any RecoveryStorage) async {
        let bar = ProgressBar()
        defer { bar.end() }
        while !Task.isCancelled {
            do {
                if let run = try await storage.openRecoveries(in: appEnvironment.id).last {
                    bar.show(
                        1 - Double(run.openWindows) / Double(max(run.windows, 1)),
                        "\(appEnvironment.environment.rawValue): \(run.counts.found) found, \(run.counts.new) new")
                }
                try await Task.sleep(for: .milliseconds(200))
            } catch { return }
        }
    }
}

/// An instant on the command line: ISO 8601, a day, or milliseconds since 1970.
struct InstantArgument: ExpressibleByArgument {
    let milliseconds: Int64

    var date: Date { Date(milliseconds: milliseconds) }

    init?(argument: String) {
        guard let milliseconds = InstantText.milliseconds(argument, acceptsDays: true) else { return nil }
        self.milliseconds = milliseconds
    }
}

/// A recovery as this command prints it and as the server's API returns it.
struct RecoveryOutcome: Codable {
    let id, app, environment, state: String
    let from, to: Int64
    let windows, openWindows, pages, found, new, duplicates, failed: Int
    let failure: String?

    enum CodingKeys: String, CodingKey {
        case id, app, environment, state, from, to, windows, pages, found, new, duplicates, failed, failure
        case openWindows = "open_windows"
    }

    init(_ run: RecoveryRun, _ appEnvironment: AppEnvironment) {
        (id, app, environment) = (run.name, appEnvironment.bundleID, appEnvironment.environment.rawValue)
        (state, from, to, failure) = (run.state.rawValue, run.from, run.until, run.failure)
        (windows, openWindows, pages) = (run.windows, run.openWindows, run.counts.pages)
        (found, new, duplicates, failed) = (run.counts.found, run.counts.new, run.counts.duplicates, run.counts.failed)
    }

    func line(_ style: Style) -> String {
        let name = state == "done" ? style.good("recovered") : style.bad(state.printable)
        var line = "\(name) \(app.printable), \(environment.printable): \(new) new of \(found), "
        line += "\(pages) \(pages.noun("page"))"
        if failed > 0 { line += ", \(style.bad("\(failed) that failed verification"))" }
        if let failure { line += "; \(failure.printable)" }
        return line
    }
}

/// Starts recoveries on a running server and waits for them.
private struct RecoveryClient {
    let server: ServerClient

    private struct RecoveryRequest: Encodable {
        let from: Int64
        let to: Int64?
        let types: [String]?
    }

    /// An app and an environment that the key has access to.
    private struct Accessible: Decodable {
        let app, environment: String
    }

    /// Recovers every app and environment that matches the options, one after the other.
    func recover(
        from: Int64, to: Int64?, _ types: [String], _ options: OfflineOptions
    ) async throws -> [RecoveryOutcome] {
        let body = try JSONEncoder().encode(RecoveryRequest(from: from, to: to, types: types.isEmpty ? nil : types))
        let environment = options.environment?.environment.rawValue
        let accessible: ListPage<Accessible> = try await server.call("GET", "/v1/completeness", nil)
        let selected = accessible.items.filter {
            (options.app ?? $0.app) == $0.app && (environment ?? $0.environment) == $0.environment
        }
        var (outcomes, keyless): ([RecoveryOutcome], Refusal?) = ([], nil)
        for item in selected {
            do { outcomes.append(try await recover(item, body)) } catch let refusal as Refusal {
                guard refusal.code == "no_key" else { throw refusal }
                keyless = refusal
            }
        }
        if outcomes.isEmpty, let keyless { throw keyless }
        guard !outcomes.isEmpty else {
            throw Refusal(
                code: "unknown_app", message: "the key has access to no app and environment that matches the options")
        }
        return outcomes
    }

    private func recover(_ item: Accessible, _ body: Data) async throws -> RecoveryOutcome {
        let path = "/v1/recoveries?app=\(item.app.percentEncoded)&environment=\(item.environment.percentEncoded)"
        var outcome: RecoveryOutcome = try await server.call("POST", path, body)
        let bar = ProgressBar()
        defer { bar.end() }
        while outcome.state == "open" {
            bar.show(
                1 - Double(outcome.openWindows) / Double(max(outcome.windows, 1)),
                "\(outcome.environment.printable): \(outcome.found) found, \(outcome.new) new")
            try await Task.sleep(for: .milliseconds(500))
            outcome = try await server.call("GET", "/v1/recoveries/\(outcome.id)", nil)
        }
        return outcome
    }
}
