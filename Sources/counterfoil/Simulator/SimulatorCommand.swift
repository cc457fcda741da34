import AppStoreTrust
public import ArgumentParser
import Foundation
public import StoreSimulator

/// `counterfoil simulator`: runs a local App Store on loopback.
///
/// The options belong to the default subcommand `run`. As options of this command they would apply to all subcommands.
struct SimulatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulator",
        abstract: "Run a local App Store with purchases, renewals, refunds, notifications and the whole API.",
        discussion: """
            Serves the App Store Server API, verifyReceipt and a control API on 127.0.0.1 until Ctrl-C. Other commands find \
            a running simulator automatically; if several run, --simulator or $COUNTERFOIL_SIMULATOR names one by its \
            folder or URL. Without --directory everything is temporary; with it, keys and certificates stay the same from \
            run to run. With --json its commands print the objects of the control API, and others of their own, in \
            camelCase.

            EXAMPLES
              counterfoil simulator
              counterfoil simulator --directory ./store --clock frozen:2026-01-01T00:00:00Z
              counterfoil simulator --port 9000 --catalogue Products.storekit
              counterfoil simulator --notify http://127.0.0.1:8080/apple/notifications
              counterfoil simulator snapshot before-renewal

            THE CLOCK
              real                      real time
              accelerated               a month lasts 5 minutes
              accelerated:<rate>        another rate, such as monthlyEveryHour
              frozen, frozen:<instant>  stands still until `simulator clock advance`

            OPTIONS OF `simulator`, WHICH IS `simulator run`
              --port <n>         the port on 127.0.0.1; 0 for a free one (default)
              --directory <dir>  the folder for keys, certificates and snapshots
              --catalogue <file> the products: Xcode's .storekit file, or YAML
              --seed <n>         the seed for all identifiers
              --clock <mode>     how time passes; see above
              --notify <url>     the URL for notifications
              --disorder <level> cause random failures: low, medium, high
              --open             open the simulator's pages in a browser
              --json             print the connection details as one line of JSON

            Exit status: 0 stopped, 1 refused or failed, 2 wrong usage.
            """,
        subcommands: [
            SimulatorRun.self, SimulatorStatus.self, BuyCommand.self, SimulatorCancel.self, SimulatorResume.self,
            SimulatorRefund.self, SimulatorFailBilling.self, SimulatorFixBilling.self, SimulatorVolumePurchase.self,
            SimulatorRaisePrice.self,
            SimulatorReceipt.self, SimulatorRefresh.self, DoCommand.self, CustomersCommand.self, ClockCommand.self,
            TriggerCommand.self, ListenCommand.self, SimulatorNotifications.self, SettingsCommand.self,
            FaultCommand.self, ScenarioCommand.self, CatalogueCommand.self, SimulatorSnapshot.self,
            SimulatorRestore.self, SimulatorReset.self, SimulatorRevocation.self,
        ],
        defaultSubcommand: SimulatorRun.self)
}

/// `counterfoil simulator run`: runs the simulator until it is stopped.
struct SimulatorRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run until Ctrl-C, like `counterfoil simulator` without a subcommand.",
        discussion: """
            EXAMPLES
              counterfoil simulator run --port 9000 --clock frozen
              counterfoil simulator run --directory ./store --catalogue Products.storekit
            """)

    @Option(help: ArgumentHelp("The port on 127.0.0.1; 0 for a free one.", valueName: "n"))
    var port = 0

    @Option(
        help: ArgumentHelp("The folder for keys, certificates and snapshots.", valueName: "dir"),
        completion: .directory, transform: HomeFolder.path)
    var directory: String?

    @Option(
        help: ArgumentHelp(
            "The products: Xcode's .storekit file, or YAML such as that of `counterfoil simulator catalogue`.",
            valueName: "file"), completion: .file(), transform: HomeFolder.path)
    var catalogue: String?

    @Option(help: ArgumentHelp("The seed for all identifiers.", valueName: "n"))
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "How time passes: real, accelerated, frozen, or frozen:2026-01-31; see `counterfoil simulator --help`.",
            valueName: "mode"))
    var clock: ClockMode = .real

    @Option(help: ArgumentHelp("The URL for notifications of both environments.", valueName: "url"))
    var notify: String?

    @Option(
        help: ArgumentHelp("Cause random failures, derived from the seed: low, medium or high.", valueName: "level"))
    var disorder: RandomFaultLevel?

    @Flag(help: "Open the simulator's pages in a browser.")
    var open = false

    @Flag(help: "Print the connection details as one line of JSON.")
    var json = false

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port takes 0 to 65535.") }
        if let notify, ServerURL.http(notify) == nil {
            throw ValidationError("--notify takes an http or https URL.")
        }
    }

    func run() async throws {
        let configuration = try configuration()
        guard configuration.directory == nil else { return try await run(configuration) }
        try await TemporaryFolder.use { folder in
            var own = configuration
            own.directory = folder
            try await run(own)
        }
    }

    private func run(_ configuration: SimulatorConfiguration) async throws {
        let simulator = try await Simulator.start(configuration)
        let information = simulator.information
        let entry = register(information.folder)
        // Catch signals before printing: a process that reads the line may send a signal at once.
        do {
            try await Signals.untilStopped {
                if json {
                    try Output.send(try JSONLine.text(information))
                } else {
                    try banner(information, configuration.catalogue)
                }
                if open { WebBrowser.open(information.pagesURL) }
                try await simulator.wait()
            }
        } catch {
            await stop(simulator, entry)
            if error is Output.Failure { throw error }
            throw Refusal(code: "simulator_failed", message: "\(error)")
        }
        await stop(simulator, entry)
        if !json { Output.line("stopped") }
    }

    /// Adds the simulator to the registry, so that other commands find it. A failure is not fatal: the user can name
    /// the folder instead.
    private func register(_ folder: URL) -> SimulatorRegistry.Entry? {
        do { return try SimulatorRegistry().add(folder) } catch {
            Output.error(
                "note: the registry cannot be written; use --simulator \(folder.path.printable) with other commands")
            return nil
        }
    }

    private func stop(_ simulator: Simulator, _ entry: SimulatorRegistry.Entry?) async {
        entry?.remove()
        await simulator.stop()
        SimulatorLocation.remove(from: simulator.information.folder)
    }

    private func configuration() throws -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration()
        if let catalogue { configuration.catalogue = try Catalogue.named(catalogue) }
        configuration.port = port
        configuration.directory = directory.map { URL(filePath: $0, directoryHint: .isDirectory) }
        configuration.seed = seed
        configuration.createsReceiptAuthorityAtStart = true
        configuration.clock = clock
        configuration.randomFaults = disorder
        configuration.production.notificationURL = notify
        configuration.sandbox.notificationURL = notify
        return configuration
    }

    private func banner(_ information: SimulatorInformation, _ catalogue: Catalogue) throws {
        let style = Style.current()
        let isTimeOwn = clock != .real
        let isFrozen = if case .frozen = clock { true } else { false }
        // Scenarios need a frozen clock, and the built-in ones need the products of the example catalogue.
        let alone = isFrozen && catalogue == .example ? "" : " --alone"
        let server = notify ?? "http://127.0.0.1:8080/apple/notifications"
        let lines = [
            style.strong("The App Store runs at") + " " + information.address,
            "",
            "  pages        \(information.pagesURL)",
            "  production   \(information.baseURLs.production)",
            "  sandbox      \(information.baseURLs.sandbox)",
            "  control      \(information.controlURL)   (\(information.controlURL)/openapi.yaml)",
            "  folder       \(information.folder.path)",
            "  root         \(information.rootCertificates.first ?? "")",
            "  key          \(information.keyID), issuer \(information.issuerID)",
            "",
            style.strong("Try, in another terminal"),
            "  counterfoil simulator listen --forward-to \(server.printable)",
            "  counterfoil simulator trigger SUBSCRIBED.INITIAL_BUY",
            "  counterfoil simulator buy anna \(catalogue.suggestion.printable)",
            "  counterfoil simulator customers anna --account-token",
            isTimeOwn ? "  counterfoil simulator clock advance 1 month" : "  counterfoil simulator clock advance 31d",
            "  counterfoil simulator customers",
            "  counterfoil simulator scenario run grace-period-recovered\(alone)",
            "",
            style.faint("Ctrl-C stops it."),
        ]
        for line in lines { try Output.send(line) }
    }
}

extension Catalogue {
    /// Returns the products of a file, and prints what the simulator does not use of it.
    static func named(_ path: String) throws -> Catalogue {
        try Input.requireFile(path)
        do {
            let file = try read(path: path)
            let empty = file.catalogue.products.isEmpty ? ["has no products: nothing can be bought"] : []
            for note in file.warnings + empty { Output.error("note: \(path): \(note.printable)") }
            return file.catalogue
        } catch {
            throw Refusal(code: "invalid_catalogue", message: "\(path): \(error)".printableLine)
        }
    }

    /// A product for examples of `buy`: a subscription, if the catalogue has one.
    var suggestion: String {
        let name = "premium.monthly"
        if identifier(of: name) != nil { return name }
        return (products.first { $0.subscription != nil } ?? products.first)?.id ?? "PRODUCT"
    }
}

extension RandomFaultLevel: ExpressibleByArgument {}

extension ClockMode: ExpressibleByArgument {
    /// `real`, `accelerated`, `accelerated:<rate>`, `frozen` or `frozen:<instant>`.
    public init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1).map(String.init)
        switch (parts.first, parts.dropFirst().first) {
        case ("real", nil): self = .real
        case ("accelerated", nil): self = .accelerated(.monthlyEvery5Minutes)
        case ("accelerated", let name?):
            guard let rate = RenewalRate(rawValue: name) else { return nil }
            self = .accelerated(rate)
        case ("frozen", nil): self = .frozen(Date())
        case ("frozen", let text?):
            guard case .at(let date) = ValidationTime(argument: text) else { return nil }
            self = .frozen(date)
        default: return nil
        }
    }
}
