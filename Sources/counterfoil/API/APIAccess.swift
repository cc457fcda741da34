import AppStoreModels
import AppStoreServer
import ArgumentParser
import CounterfoilServer
internal import LedgerServices
import StoreSimulator

/// The options of `counterfoil api` that select the host and the key: a server's configuration, a running simulator, or
/// a key file with its identifiers.
struct APIAccess: ParsableArguments {
    @Option(
        help: ArgumentHelp("Use the key and the hosts of this server configuration.", valueName: "file"),
        completion: .file(), transform: HomeFolder.path)
    var config: String?

    @Option(
        help: ArgumentHelp(
            "The app's bundle ID. With --config only needed if the configuration has several apps.",
            valueName: "bundle-id"))
    var app: String?

    @Option(
        help: ArgumentHelp(
            "Call the simulator with this folder or URL. Default without a key: $COUNTERFOIL_SIMULATOR, or the one that "
                + "runs.", valueName: "dir|url"), completion: .directory, transform: HomeFolder.path)
    var simulator: String?

    @Option(
        name: .customLong("private-key"),
        help: ArgumentHelp("The private key: the .p8 file from App Store Connect.", valueName: "file"),
        completion: .file(), transform: HomeFolder.path)
    var privateKey: String?

    @Option(name: .customLong("key-id"), help: ArgumentHelp("The key ID.", valueName: "id"))
    var keyID: String?

    @Option(
        name: .customLong("issuer-id"),
        help: ArgumentHelp("The issuer ID, which App Store Connect shows above the keys.", valueName: "uuid"))
    var issuerID: String?

    @Option(
        help: ArgumentHelp(
            "The environment: production or sandbox. Default: production, if the app has it.", valueName: "name"))
    var environment: EnvironmentName?

    @Option(
        name: .customLong("base-url"),
        help: ArgumentHelp("Call this host instead of Apple's.", valueName: "url"))
    var baseURL: String?

    private var keyOptions: [(name: String, value: String?)] {
        [("--private-key", privateKey), ("--key-id", keyID), ("--issuer-id", issuerID)]
    }

    func validate() throws {
        let hasKeyOption = keyOptions.contains { $0.value != nil }
        let sources = [config != nil, simulator != nil, hasKeyOption].count(where: \.self)
        guard sources < 2 else { throw ValidationError("Use only one of --config, --simulator and --private-key.") }
        if hasKeyOption, let missing = (keyOptions + [(name: "--app", value: app)]).first(where: { $0.value == nil }) {
            throw ValidationError(
                "\(missing.name) is missing: a key needs --private-key, --key-id, --issuer-id and --app.")
        }
        for (name, value) in [("--app", app), ("--base-url", baseURL)] where value != nil {
            guard config != nil || hasKeyOption else {
                throw ValidationError("\(name) needs a key: use --config or --private-key.")
            }
        }
    }

    /// Returns a client for the host and the key that the options select.
    func client() async throws -> AppStoreServerClient {
        if let config { return try client(of: config) }
        guard let privateKey, let keyID, let issuerID, let app else { return try await simulatorClient() }
        let tokens = try Self.tokens(KeyOptions.signingKey(privateKey, keyID), issuerID, app)
        return AppStoreServerClient(tokens: tokens, host: try host(.production))
    }

    // MARK: - Sources of the key

    private func client(of file: String) throws -> AppStoreServerClient {
        let app = try app(of: Configurations.load(file).configuration)
        guard let key = app.key else {
            throw Refusal(
                code: "no_key",
                message: "\(app.bundleID.printable) has no key for the App Store Server API in \(file.printable)")
        }
        let environment = environment?.environment ?? (app.environments.contains(.production) ? .production : .sandbox)
        guard app.environments.contains(environment), let configured = app.hosts[environment] else {
            throw Refusal(
                code: "wrong_environment",
                message: "\(file.printable) does not accept \(environment.rawValue) for \(app.bundleID.printable)")
        }
        let tokens = try Self.tokens(key.signingKey, key.issuerID, app.bundleID)
        return AppStoreServerClient(tokens: tokens, host: baseURL == nil ? configured : try host(environment))
    }

    private func app(of configuration: ServerConfiguration) throws -> ServerConfiguration.App {
        let names = configuration.apps.map(\.bundleID).joined(separator: ", ").printable
        if let app {
            guard let found = configuration.app(app) else {
                throw ValidationError("--app \(app.printable) is not in the configuration, which has \(names).")
            }
            return found
        }
        guard configuration.apps.count == 1, let only = configuration.apps.first else {
            throw ValidationError("The configuration has several apps: name one with --app. It has \(names).")
        }
        return only
    }

    private func simulatorClient() async throws -> AppStoreServerClient {
        let information = try await SimulatorLocation.find(
            simulator, orElse: "or use a key: --config or --private-key")
        let environment = environment?.environment ?? .production
        let tokens = try Self.tokens(
            KeyOptions.signingKey(information.privateKey, information.keyID), information.issuerID,
            information.bundleID)
        return AppStoreServerClient(
            tokens: tokens, host: try Self.host(information.baseURLs[environment], environment))
    }

    // MARK: - Hosts, keys and tokens

    private func host(_ defaultEnvironment: AppStoreEnvironment) throws -> AppStoreHost {
        let environment = environment?.environment ?? defaultEnvironment
        guard let baseURL else { return environment == .sandbox ? .sandbox : .production }
        return try Self.host(baseURL, environment)
    }

    private static func host(_ url: String, _ environment: AppStoreEnvironment) throws -> AppStoreHost {
        do { return try AppStoreHost(url: url, environment: environment) } catch {
            throw ValidationError("--base-url: \(error.message)")
        }
    }

    private static func tokens(_ key: SigningKey, _ issuerID: String, _ bundleID: String) throws -> APITokenSource {
        do { return try APITokenSource(key: key, issuerID: issuerID, bundleID: bundleID) } catch {
            throw ValidationError(error.message)
        }
    }
}
