import ArgumentParser
import CounterfoilServer

/// The options of the ledger commands: the server's configuration, which names the ledger, and the output format.
struct LedgerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The server's configuration, YAML. Default: counterfoil.yaml.", valueName: "file"),
        completion: .file(), transform: HomeFolder.path)
    var config: String = "counterfoil.yaml"
    @Flag(help: "Print one JSON object instead of text.") var json = false

    /// Reads the configuration without its secrets. Prints every problem if it is invalid.
    func load() throws -> ServerConfiguration {
        try Configurations.load(config, secrets: .omitted).configuration
    }
}
