import AppStoreModels
public import ArgumentParser
public import CounterfoilServer
internal import LedgerServices

/// `counterfoil server keys`: manages the keys for the server's API.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Create and list the keys for the server's API.",
        discussion: """
            The configuration stores only the SHA-256 of each key. Reload the server (SIGHUP) after adding or removing a \
            key.

            EXAMPLES
              counterfoil server keys create --name backend --scope customers:read \\
                --scope customers:write
              counterfoil server keys create --name app --scope customers:read --public
              counterfoil server keys list --config counterfoil.yaml
            """,
        subcommands: [KeysCreate.self, KeysList.self])
}

/// `counterfoil server keys create`: creates a key and prints it once, with the lines for the configuration.
struct KeysCreate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a key and print it once, with the lines for the configuration.",
        discussion: """
            Writes no file. With --config it checks that the name is free and that the apps exist.

            EXAMPLES
              counterfoil server keys create --name backend --scope customers:read \\
                --scope customers:write --config counterfoil.yaml
              counterfoil server keys create --name staging --scope all \\
                --environment sandbox
              counterfoil server keys create --name app --scope customers:read --public
            """)

    @Option(
        help: ArgumentHelp("The key's name in the audit log: letters, digits, dots, - and _.", valueName: "name"))
    var name: String
    @Option(
        name: .customLong("scope"),
        help: ArgumentHelp(
            "A scope; repeat for several. One of \(APIScope.all.map(\.rawValue).joined(separator: ", ")), or all.",
            valueName: "scope"), completion: .list(APIScope.all.map(\.rawValue) + ["all"]))
    var scopes: [APIScope]
    @Option(
        name: .customLong("app"),
        help: ArgumentHelp("Limit the key to this app. May be repeated.", valueName: "bundle-id"))
    var apps: [String] = []
    @Option(
        name: .customLong("environment"),
        help: ArgumentHelp(
            "Limit the key to this environment: production or sandbox. May be repeated.", valueName: "name"))
    var environments: [EnvironmentName] = []
    @Flag(
        name: .customLong("public"),
        help: "For shipping in an app: the key has access only to the customer whose customer token is sent with it.")
    var isPublic = false
    @Option(
        help: ArgumentHelp("The configuration to check name and apps against.", valueName: "file"),
        completion: .file(), transform: HomeFolder.path)
    var config: String?
    @Flag(help: "Print one JSON object instead of text.") var json = false

    private struct Report: Encodable {
        let key, name: String
        let scopes: [String]
        let sha256, yaml: String
    }

    func validate() throws {
        guard name.isSettingName else {
            throw ValidationError("--name takes 1 to 100 letters, digits, dots, - and _.")
        }
        guard !scopes.isEmpty else { throw ValidationError("--scope is missing: name at least one scope.") }
        guard !isPublic || APIScope.publicKeyScopes.isSuperset(of: scopes) else {
            let allowed = APIScope.publicKeyScopes.map(\.rawValue).sorted().joined(separator: ", ")
            throw ValidationError("A public key can have only the scopes \(allowed).")
        }
    }

    func run() throws {
        if let config { try compare(with: Configurations.load(config, secrets: .present), config) }
        let key = APIKeyText.make()
        let hash = APIKeyText.hexadecimalHash(of: key)
        let lines = yaml(hash)
        if json {
            let report = Report(
                key: key, name: name, scopes: scopes.map(\.rawValue), sha256: hash, yaml: lines.joined(separator: "\n"))
            return Output.line(JSONText.encode(report))
        }
        let style = Style.current()
        Output.line(style.strong("The key, shown only once"))
        Output.line("  Authorization: Bearer \(key)")
        Output.line()
        Output.line(
            style.strong("Add to `keys:` in \(config?.printable ?? "the configuration"), then reload the server")
        )
        for line in lines { Output.line(line) }
    }

    /// The name in quotation marks if YAML would read it as a list or as no value.
    private var yamlName: String {
        name.hasPrefix("-") || name.lowercased() == "null" ? "\"\(name)\"" : name
    }

    private func yaml(_ hash: String) -> [String] {
        var lines = [
            "  - name: \(yamlName)", "    secret: {sha256: \(hash)}",
            "    scopes: [\(scopes.map(\.rawValue).joined(separator: ", "))]",
        ]
        if !apps.isEmpty { lines.append("    apps: [\(apps.map(\.debugDescription).joined(separator: ", "))]") }
        if !environments.isEmpty {
            let names = environments.map(\.environment.rawValue)
            lines.append("    environments: [\(names.joined(separator: ", "))]")
        }
        if isPublic { lines.append("    public: true") }
        return lines
    }

    private func compare(with loaded: LoadedConfiguration, _ file: String) throws {
        let configuration = loaded.configuration
        guard !configuration.keys.contains(where: { $0.name == name }) else {
            throw Refusal(
                code: "key_exists",
                message: "\(file.printable) already has a key named \(name); counterfoil server keys list lists them")
        }
        for app in apps where configuration.app(app) == nil {
            throw Refusal(code: "unknown_app", message: "\(app.printable) is not an app of \(file.printable)")
        }
        guard isPublic else { return }
        for (index, app) in configuration.apps.enumerated() where apps.isEmpty || apps.contains(app.bundleID) {
            guard app.customerTokenSecret == nil,
                !loaded.hasMissingCredential(in: "apps[\(index)].customer_token_secret")
            else {
                continue
            }
            throw Refusal(
                code: "no_customer_token_secret",
                message: "\(app.bundleID.printable) has no customer_token_secret, which a public key needs: "
                    + "openssl rand -base64 32 > FILE, then add customer_token_secret: {file: FILE} to the app")
        }
    }
}

/// `counterfoil server keys list`: lists the names and scopes of a configuration's keys.
struct KeysList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the keys of a configuration with their scopes.",
        discussion: """
            EXAMPLES
              counterfoil server keys list
              counterfoil server keys list --config counterfoil.yaml --json
            """)

    @Option(
        help: ArgumentHelp("The configuration. Default: counterfoil.yaml.", valueName: "file"),
        completion: .file(), transform: HomeFolder.path)
    var config: String = "counterfoil.yaml"
    @Flag(help: "Print one JSON object a line instead of text.") var json = false

    func run() throws {
        let keys = try Configurations.load(config, secrets: .present).configuration.keys.map(KeyReport.init)
        if json { return keys.forEach { Output.line(JSONText.encode($0)) } }
        let width = keys.map(\.name.count).max() ?? 0
        for key in keys {
            let limits = [key.apps, key.environments].compactMap { $0?.joined(separator: ", ").printable }
            let notes = limits + (key.isPublic ? ["public"] : [])
            Output.line(([key.name.padded(to: width + 2) + key.scopeNames] + notes).joined(separator: "; "))
        }
    }
}

/// A key of the configuration as the commands print it.
struct KeyReport: Encodable {
    let name: String
    let scopes: [String]
    let apps, environments: [String]?
    let isPublic: Bool

    init(_ key: ServerConfiguration.Key) {
        name = key.name
        scopes = key.scopes.map(\.rawValue).sorted()
        apps = key.apps?.sorted()
        environments = key.environments?.map(\.rawValue).sorted()
        isPublic = key.isPublic
    }

    enum CodingKeys: String, CodingKey {
        case name, scopes, apps, environments
        case isPublic = "public"
    }

    /// The scopes for people: their names, or `all`.
    var scopeNames: String { scopes.count == APIScope.all.count ? "all" : scopes.joined(separator: ", ") }
}

extension APIScope: ExpressibleByArgument {
    /// Accepts a scope's name, or `all`.
    public init?(argument: String) {
        guard argument == "all" || APIScope.all.contains(where: { $0.rawValue == argument }) else { return nil }
        self.init(rawValue: argument)
    }
}
