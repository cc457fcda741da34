import ArgumentParser
import CounterfoilServer
import Synchronization

/// The options of the ledger commands: the server's configuration, which names the ledger, and the output format.
struct LedgerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The server's configuration, YAML.", valueName: "file")) var config = "counterfoil.yaml"
    @Flag(help: "Print one JSON object instead of text.") var json = false

    /// Reads the configuration without its secrets. Prints every problem if it is invalid.
    func load() throws -> ServerConfiguration {
        try Configurations.load(config, secrets: .omitted).configuration
    }
}

/// A progress bar on standard error, shown only if standard error is a terminal.
final class LedgerProgress: Sendable {
    private let name: String
    private let shown = Mutex(-1)

    init(_ name: String) { self.name = name }

    /// Runs `body` with a bar, and removes the bar.
    static func showing<Value>(_ name: String, _ body: (LedgerProgress) async throws -> Value) async throws -> Value {
        let bar = LedgerProgress(name)
        defer { bar.end() }
        return try await body(bar)
    }

    /// Shows a fraction, from 0 to 1.
    func show(_ fraction: Double) {
        guard StatusLine.isShown, fraction.isFinite else { return }
        let percent = Int(min(max(fraction, 0), 1) * 100)
        let hasChanged = shown.withLock { shown in
            defer { shown = percent }
            return shown != percent
        }
        guard hasChanged else { return }
        let bar = String(repeating: "█", count: percent * 40 / 100)
        StatusLine.show("\(name) \(bar.padded(to: 40)) \(percent) %")
    }

    /// Removes the bar.
    func end() { StatusLine.show("") }
}
