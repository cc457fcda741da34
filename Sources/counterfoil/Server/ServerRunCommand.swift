import ArgumentParser
import CounterfoilServer
import Foundation
internal import Ledger
internal import LedgerServices
import Logging
import UnixSignals

/// `counterfoil server run`: runs the server.
struct ServerRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the server until it is stopped.",
        discussion: """
            Receives notifications, maintains the ledger and serves the API, until Ctrl-C or SIGTERM; then it finishes \
            the requests in progress. SIGHUP reloads keys, secrets, webhooks and TLS files. Logs go to standard error. \
            Only one server can use a ledger.

            EXAMPLES
              counterfoil server run --config counterfoil.yaml
              counterfoil server run --config counterfoil.yaml --port 9000

            JSON, one line when it is ready: {"pid":…,"port":…,"url":…}
            Exit status: 0 stopped, 1 refused or failed, 2 wrong usage.
            """)

    @Option(
        help: ArgumentHelp("The configuration, YAML. Default: counterfoil.yaml.", valueName: "file"),
        completion: .file(), transform: HomeFolder.path)
    var config: String = "counterfoil.yaml"
    @Option(help: ArgumentHelp("The port; 0 for a free one. Default: that of the configuration.", valueName: "n"))
    var port: Int?
    @Flag(help: "Print one JSON object instead of text when the server is ready.") var json = false
    @Flag(help: "Open the console in a browser, signed in with the first key that has console:open.") var open = false

    func validate() throws {
        if let port, !(0...65_535).contains(port) { throw ValidationError("--port takes 0 to 65535.") }
    }

    func run() async throws {
        // Trap SIGHUP before reading the configuration: one that arrives during startup reloads it and does not end the
        // process.
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        Self.raiseLimitOfOpenFiles()
        let loaded = try Configurations.load(config, port: port)
        let configuration = loaded.configuration
        let logger = Logger(label: "counterfoil") { _ in ServerLogHandler(configuration.log) }
        Self.logNotes(on: loaded, logger)
        let server = try await Server.start(configuration, logger: logger, stoppingAt: [.sigterm, .sigint])
        let serving = Serving(configuration: configuration, port: server.port)
        // A program that reads the JSON waits for it. The text is for people: without it the server is useful too.
        if json {
            Output.line(JSONText.encode(serving.report))
        } else {
            Output.notice(serving.lines.joined(separator: "\n"), to: .standardOutput)
        }
        if open { serving.openConsole() }
        do { try await wait(for: server, hangups, logger) } catch {
            throw Refusal(code: "server_failed", message: error.logReason.printable)
        }
        // The server has stopped. A closed standard output does not change that.
        if !json { Output.notice("stopped", to: .standardOutput) }
    }

    private static func logNotes(on loaded: LoadedConfiguration, _ logger: Logger) {
        for note in loaded.warnings { logger.notice("note on the configuration", metadata: ["reason": "\(note)"]) }
    }

    /// Raises the soft limit of open files to the hard one, at most 65,536. A shell's soft limit is often 1,024, for
    /// programs that call `select`, and the runtime ends a process that has no descriptor left. If this fails, the
    /// server accepts fewer connections, or refuses to start.
    private static func raiseLimitOfOpenFiles() {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        let raised = min(limit.rlim_max, 65_536)
        guard limit.rlim_cur < raised else { return }
        limit.rlim_cur = raised
        _ = setrlimit(resource, &limit)
    }

    /// Waits until the server has stopped, and reloads the configuration on every SIGHUP until then.
    private func wait(for server: Server, _ hangups: UnixSignalsSequence, _ logger: Logger) async throws {
        let (config, port) = (config, port)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.wait() }
            group.addTask {
                for await _ in hangups {
                    await server.reload {
                        let loaded = try LoadedConfiguration(
                            contentsOf: URL(filePath: config), secrets: .all, port: port
                        ).requiringUsableTLS(at: Date())
                        Self.logNotes(on: loaded, logger)
                        return loaded.configuration
                    }
                }
                // If the stream of signals ends, wait for the server.
                try await server.wait()
            }
            try await group.next()
            group.cancelAll()
        }
    }
}

/// The text or JSON that is printed when the server is ready.
private struct Serving {
    struct Report: Encodable {
        let pid: Int32
        let port: Int
        let url: String
    }

    let configuration: ServerConfiguration
    let port: Int

    var report: Report { Report(pid: getpid(), port: port, url: url) }

    /// The URL of the console, if it is enabled: a sign-in link if the configuration has `console.secret` and a
    /// suitable key.
    ///
    /// The link becomes an argument of the program that opens the browser, which other users of the machine can see in
    /// the list of processes. It works once and within two minutes (see `SignInLinks`), so that whoever comes second
    /// is refused.
    private var consoleURL: String? {
        guard configuration.console.isEnabled else { return nil }
        let key = configuration.keys.first { !$0.isPublic && $0.scopes.contains(.consoleOpen) }
        let link = key.flatMap { try? ConsoleLink.make(configuration, key: $0.name, url: consoleBaseURL) }
        return link ?? consoleBaseURL + "/console"
    }

    private var consoleBaseURL: String { ConsoleLink.address(configuration, port: port) }

    /// Opens the console in a browser; prints its URL if no browser can be opened.
    func openConsole() {
        guard let consoleURL else {
            return Output.error("the console is disabled: set console: {enabled: true} in the configuration")
        }
        WebBrowser.open(consoleURL)
    }

    /// The URL at which this machine reaches the server.
    private var url: String { configuration.listen.url(configuration.listen.host, port: port) }

    var lines: [String] {
        let style = Style.current()
        // Without `listen.public_url`, the address may be one of this machine, which the App Store cannot reach.
        let notificationURL =
            configuration.listen.publicURL.map { "\($0.printable)/apple/notifications" }
            ?? "the server's public URL (listen.public_url) with the path /apple/notifications"
        var lines = [
            "\(style.good("serving")) \(style.strong(url.printable))", "",
            "  ledger         \(configuration.storage.path.printable)",
            "  apps           \(configuration.apps.map(\.bundleID).joined(separator: ", ").printable)", "",
        ]
        if configuration.console.isEnabled {
            lines.insert("  console        \(consoleBaseURL.printable)/console", at: lines.count - 1)
        }
        switch configuration.clock {
        case .system:
            lines += [
                style.strong("In App Store Connect, as the URL of version 2 notifications, for both environments"),
                "  \(notificationURL)",
            ]
        case .simulator:
            lines += [
                style.strong("In another terminal, if the simulator runs without --notify"),
                "  counterfoil simulator listen --forward-to \(url.printable)/apple/notifications",
            ]
        }
        var customer: [String] = []
        if case .simulator = configuration.clock {
            customer = ["  ID=$(counterfoil simulator customers anna --account-token)"]
        }
        let query = configuration.apps.count > 1 ? "?app=\(configuration.apps.first?.bundleID.printable ?? "")" : ""
        lines += ["", style.strong("What a customer owns, by the account token of the purchases")] + customer
        lines += [
            "  curl -H \"Authorization: Bearer $COUNTERFOIL_KEY\" \"\(url.printable)/v1/customers/$ID\(query)\"", "",
            style.faint("Ctrl-C stops it."),
        ]
        return lines
    }
}
