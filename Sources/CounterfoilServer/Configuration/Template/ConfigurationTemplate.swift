package import AppStoreModels
internal import Basics

/// The template of a configuration file. It contains and explains every setting. Settings without a value are commented
/// out with a `#` without a space after it, and show their default or an example.
package struct ConfigurationTemplate: Sendable {
    package var bundleID = "com.example.app"
    package var appAppleID: Int64 = 1_234_567_890
    package var issuerID = "57246542-96fe-1a63-e053-0824d011072a"
    package var keyID = "ABC123DEFG"
    /// The file of the private key for the App Store Server API.
    package var keyFile = "AuthKey_ABC123DEFG.p8"
    package var sharedSecret: String?
    /// The URLs of a simulator's App Store Server API, which replace Apple's.
    package var baseURLs: (production: String, sandbox: String)?
    /// The files of root certificates, which replace Apple's roots.
    package var anchors: [String] = []
    /// Further OCSP hosts that may be queried, besides Apple's.
    package var revocationHosts: [String] = []
    /// The URL of the control API of the simulator whose clock the server uses.
    package var clock: String?
    /// The secret for sign-in links to the console. Setting it enables the console.
    package var consoleSecret: String?
    /// The entitlements, in order, each with its products.
    package var entitlements: [(name: String, products: [String])] = []
    /// Facts about products that are not in the entitlements, in order.
    package var products: [(id: String, facts: ProductProperty)] = []
    /// The SHA-256 of the first key, in hexadecimal.
    package var keyHash: String

    /// A fact about a product in the section `products`.
    package enum ProductProperty: Sendable {
        case consumable
        case subscription(group: String, level: Int)
        case duration(Period)
    }

    package init(keyHash: String) { self.keyHash = keyHash }

    /// The text of the file.
    package var text: String {
        [header, appSection, listenSection, accessSection, operationSection].joined(separator: "\n")
    }

    // MARK: Lines

    /// Returns the line of a setting. Without a value, the line is commented out and shows the example.
    func setting(_ key: String, _ value: String?, or example: String) -> String {
        value.map { "\(key): \($0)" } ?? "#\(key): \(example)"
    }

    /// Quotes a text for YAML. Double-quoted YAML accepts JSON strings.
    static func quote(_ text: String) -> String {
        var json = JSONWriter()
        json.string(text)
        return String(decoding: json.written, as: UTF8.self)
    }

    static func list(_ texts: [String]) -> String? {
        texts.isEmpty ? nil : "[" + texts.map(quote).joined(separator: ", ") + "]"
    }

    /// Returns the lines of a mapping within an app. Without entries, the example is commented out.
    func mapping(_ key: String, _ entries: [(String, String)], example: [(String, String)]) -> String {
        let mark = entries.isEmpty ? "#" : ""
        let lines = (entries.isEmpty ? example : entries).map { "    \(mark)  \($0): \($1)" }
        return (["    \(mark)\(key):"] + lines).joined(separator: "\n")
    }

    var entitlementLines: String {
        mapping(
            "entitlements", entitlements.map { ($0.name, Self.list($0.products) ?? "[]") },
            example: [("premium", "[com.example.app.monthly, com.example.app.yearly]")])
    }

    var productLines: String {
        let entries = products.map { product in
            let facts =
                switch product.facts {
                case .consumable: "{consumable: true}"
                case .subscription(let group, let level): "{level: \(level), group: \(Self.quote(group))}"
                case .duration(let period): "{duration: \(period.iso8601)}"
                }
            return (Self.quote(product.id), facts)
        }
        return mapping(
            "products", entries,
            example: [
                ("com.example.app.pass", "{duration: P1M}"),
                ("com.example.app.yearly", "{level: 1, group: \"21345678\"}"),
                ("com.example.app.coins", "{consumable: true}"),
            ])
    }

    var consoleLines: String {
        let mark = consoleSecret == nil ? "#" : ""
        return """
            \(mark)console:
            \(mark)  enabled: true
            \(mark)  secret: \(consoleSecret.map(Self.quote) ?? "{environment: CONSOLE_SECRET}")
            #  read_only: false
            #  audit_reads: false
            #  listen: {host: 127.0.0.1, port: 8090}
            """
    }

    var baseURLFlow: String? {
        baseURLs.map { "{production: \(Self.quote($0.production)), sandbox: \(Self.quote($0.sandbox))}" }
    }
}
