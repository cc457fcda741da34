import AppStoreModels
import ArgumentParser
import CounterfoilServer
internal import Ledger
internal import LedgerServices

/// The options of commands that work on the ledger of a stopped server.
struct OfflineOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The server's configuration, YAML. Default: counterfoil.yaml.", valueName: "file"),
        completion: .file(), transform: HomeFolder.path)
    var config: String = "counterfoil.yaml"

    @Option(help: ArgumentHelp("Only this app. Default: all of the configuration.", valueName: "bundle-id"))
    var app: String?

    @Option(help: ArgumentHelp("Only this environment: production or sandbox. Default: both.", valueName: "name"))
    var environment: EnvironmentName?

    /// Opens the ledger and runs `body`.
    ///
    /// - Parameter takesURL: Whether the command has the options --url and --key, which use a running server instead.
    func run<Value: Sendable>(
        takesURL: Bool = false, _ body: (ServerCore) async throws -> Value
    ) async throws -> Value {
        let configuration = try Configurations.load(config).configuration
        do {
            return try await LedgerOwner.changingOwner(of: configuration.storage.path) {
                try await OfflineServer.run(configuration, body)
            }
        } catch let error as StorageError where takesURL && error.code == .busy {
            throw Refusal(
                code: error.code.rawValue,
                message: "\(error.message); or recover through the running server, with --url, --key and --from"
                    .printable)
        }
    }

    /// Returns the scopes that match the options and have a key for the App Store Server API, production first.
    func scopes(of recovery: Recovery) throws -> [AppEnvironment] {
        let scopes = recovery.recoverable.filter {
            $0.matches(app: app, environment: environment?.environment.rawValue)
        }
        guard !scopes.isEmpty else {
            throw Refusal(
                code: "no_key", message: "no matching app in the configuration has a key for the App Store Server API")
        }
        return scopes.sorted { ($0.environment == .production ? 0 : 1) < ($1.environment == .production ? 0 : 1) }
    }
}
