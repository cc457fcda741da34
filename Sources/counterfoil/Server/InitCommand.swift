import AppStoreModels
import ArgumentParser
import Basics
import CounterfoilServer
import Foundation
import StoreSimulator

/// `counterfoil server init`: writes a first configuration.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write a server's configuration with every setting explained.",
        discussion: """
            With --simulator the configuration uses a running simulator: its key, certificates, products and clock. The \
            key for the server's own API is printed once; the file stores only its SHA-256.

            EXAMPLES
              counterfoil server init
              counterfoil server init --simulator --output rehearsal.yaml
              counterfoil server init --simulator http://127.0.0.1:9000 --output two.yaml
              counterfoil server init --simulator ./store --output ci.yaml --json
              counterfoil server init --output - > counterfoil.yaml
            """)

    @Flag(help: "Use the running simulator, or the one whose folder or URL follows.")
    var simulator = false

    @Argument(
        help: ArgumentHelp("The simulator's folder or URL.", valueName: "dir|url"), completion: .directory,
        transform: HomeFolder.path)
    var folder: String?

    @Option(
        help: ArgumentHelp(
            "The file to write; - is standard output. Default: counterfoil.yaml.", valueName: "file"),
        completion: .file(), transform: HomeFolder.path)
    var output: String = "counterfoil.yaml"

    @Flag(help: "Replace an existing file.") var force = false

    @Flag(help: "Print one JSON object with file and key instead of text.") var json = false

    /// The path at which the server receives notifications.
    private static let path = "/apple/notifications"

    func validate() throws {
        guard simulator || folder == nil else {
            throw ValidationError("A simulator's folder goes after --simulator; --output names the file to write.")
        }
        guard !json || output != "-" else {
            throw ValidationError("--json needs a file: --output - prints the configuration.")
        }
    }

    func run() async throws {
        if output != "-", !force, FileManager.default.fileExists(atPath: output) {
            throw Refusal(
                code: "file_exists",
                message: "\(output.printable) already exists; --force replaces it, --output names another file")
        }
        let key = APIKeyText.make()
        var template = ConfigurationTemplate(keyHash: APIKeyText.hexadecimalHash(of: key))
        let store = simulator ? ControlClient(try await SimulatorLocation.find(folder)) : nil
        let catalogue = try await store?.catalogue(of: .production)
        if let store, let catalogue { template.fillIn(store.information, catalogue) }
        if output == "-" {
            Output.line(template.text.trimmingCharacters(in: .newlines))
            Output.error("the API key, shown only once: export COUNTERFOIL_KEY=\(key)")
            return
        }
        // Send every request before writing the file: after that nothing may fail before the key is shown, only once.
        let notificationURL = try await store?.settings(of: .production).notificationURL
        try await write(template.text)
        if json {
            Output.line(JSONText.encode(["file": output, "key": key]))
        } else {
            report(key, notificationURL: notificationURL, product: catalogue?.suggestion)
        }
        if let file = store?.information.privateKey, TemporaryFolder.contains(file) {
            Output.error(
                "note: \(output.printable) refers to the simulator's key and certificates, which are deleted when it "
                    + "stops; counterfoil simulator --directory keeps them")
        }
        // The ledger's path in the template. Another simulator's notifications would count as duplicates there.
        let ledger = URL(filePath: output).deletingLastPathComponent().appending(path: "counterfoil.sqlite").path
        if simulator, FileManager.default.fileExists(atPath: ledger) {
            Output.error(
                "note: \(ledger.printable) exists; if another simulator filled it, delete it with its -wal and -shm: "
                    + "simulators repeat the identifiers of purchases and notifications")
        }
    }

    private func write(_ text: String) async throws {
        // Replace the file atomically. Only the owner may read it, because users may add secrets.
        try await AtomicFile.write(output) { try $0.write(contentsOf: Data(text.utf8)) }
    }

    /// Prints the API key and the next commands to run.
    ///
    /// - Parameters:
    ///   - notificationURL: The simulator's notification URL, if it has one.
    ///   - product: A product of the simulator to buy; nil without a simulator.
    private func report(_ key: String, notificationURL: String?, product: String?) {
        let style = Style.current()
        Output.line("\(style.good("written")) \(output.printable)")
        Output.line()
        Output.line(style.strong("The API key, shown only once"))
        Output.line("  export COUNTERFOIL_KEY=\(key)")
        Output.line()
        Output.line(style.strong("Next"))
        if !simulator {
            Output.line("  fill in the app, its key and its products")
        }
        Output.line("  counterfoil server check \(output.printable)")
        Output.line("  counterfoil server run --config \(output.printable)")
        guard let product else { return }
        if notificationURL?.hasSuffix(Self.path) != true {
            Output.line("  counterfoil simulator listen --forward-to http://127.0.0.1:8080\(Self.path)")
        }
        Output.line("  counterfoil simulator buy anna \(product.printable)")
    }
}

extension ConfigurationTemplate {
    /// Fills in the identifiers, files, URLs and products of a running simulator.
    mutating func fillIn(_ information: SimulatorInformation, _ catalogue: Catalogue) {
        (bundleID, appAppleID) = (information.bundleID, information.appAppleID)
        (issuerID, keyID, keyFile) = (information.issuerID, information.keyID, information.privateKey)
        sharedSecret = information.sharedSecret
        baseURLs = (information.baseURLs.production, information.baseURLs.sandbox)
        anchors = information.rootCertificates
        clock = information.controlURL
        consoleSecret = (0..<32).map { _ in UInt8.random(in: 0...255) }.hexadecimal
        // The simulator's certificates name the simulator as their OCSP responder.
        revocationHosts = [URL(string: information.controlURL)?.host()].compactMap(\.self)
        fillIn(catalogue)
    }

    /// Adds the products, and an entitlement for each subscription group, non-consumable and non-renewing subscription.
    private mutating func fillIn(_ catalogue: Catalogue) {
        let prefix = Self.commonPrefix(catalogue.products.map(\.id))
        for group in catalogue.groups {
            let members = catalogue.products.filter { $0.subscription?.group == group.id }
            if !members.isEmpty { add(group.name.isEmpty ? group.id : group.name, members.map(\.id)) }
            for product in members {
                guard let terms = product.subscription else { continue }
                products.append((product.id, .subscription(group: terms.group, level: terms.level)))
            }
        }
        for product in catalogue.products where product.subscription == nil {
            if product.type == .consumable {
                products.append((product.id, .consumable))
                continue
            }
            if product.type == .nonRenewingSubscription { products.append((product.id, .duration(.month))) }
            add(String(product.id.dropFirst(prefix.count)), [product.id])
        }
    }

    /// The longest common prefix of the product identifiers that ends with a dot, such as `com.example.`.
    private static func commonPrefix(_ identifiers: [String]) -> String {
        guard var prefix = identifiers.first?[...] else { return "" }
        for identifier in identifiers { prefix = prefix.commonPrefix(with: identifier)[...] }
        return prefix.lastIndex(of: ".").map { String(prefix[...$0]) } ?? ""
    }

    private mutating func add(_ text: String, _ products: [String]) {
        let name = String(
            text.lowercased().prefix(80).map {
                $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) ? $0 : "_"
            })
        let isTaken = entitlements.contains { $0.name == name }
        entitlements.append((isTaken ? "\(name)_\(entitlements.count)" : name, products))
    }
}
