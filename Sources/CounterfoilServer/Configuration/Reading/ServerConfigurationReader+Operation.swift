internal import AppStoreTrust
internal import Basics
internal import ConfigurationReading
internal import Foundation
internal import Ledger
internal import LedgerServices

extension ServerConfigurationReader {
    private static let revocations = Vocabulary<RevocationPolicy>(
        // YAML parses `off` as false.
        RevocationPolicy.allCases.map { ($0.rawValue, $0 == .off ? ["false"] : [], $0) })
    private static let instants = Vocabulary<ValidationTime>([
        ("now", [], .now), ("signing_date", ["signed_date"], .signingDate),
    ])

    // MARK: Network

    func listen(_ section: inout Section, _ listen: inout ServerConfiguration.Listen) {
        listen.host = section.text("host") ?? listen.host
        checkListenHost(listen.host, section)
        listen.port = section.number("port", in: 0...65535) ?? listen.port
        if let url = section.text("public_url") {
            if Self.host(ofURL: url) == nil {
                section.problem("public_url", "\(Self.redacted(url)) is not a URL such as https://example.com")
            }
            listen.publicURL = String(url.reversed().drop { $0 == "/" }.reversed())
        }
        if var tls = section.section("tls") { listen.tls = self.tls(&tls) }
        listen.trustedProxies = networks(&section, "trusted_proxies") ?? []
        listen.metrics = section.word("metrics") ?? listen.metrics
        listen.notificationNetworks = networks(&section, "notification_networks")
        requireItems("notification_networks", of: section)
    }

    /// Reports a host on which no server can listen, such as `[::1]` or `127.0.0.1:80`. Only a start finds out whether
    /// a name is known.
    func checkListenHost(_ host: String, _ section: Section) {
        guard !host.isEmpty else { return section.problem("host", "is empty") }
        // An IPv6 address can have a zone, such as `fe80::1%eth0`.
        let address = host.contains(":") ? String(host.prefix { $0 != "%" }) : host
        guard !Self.isHost(address) else { return }
        section.problem("host", "\(quoted(host)) is neither an address nor a name: no scheme, brackets or port")
    }

    private func tls(_ section: inout Section) -> ServerConfiguration.TLS? {
        let (certificate, key) = (section.requiredText("certificate"), section.requiredText("key"))
        section.finish()
        // Without secrets there is no private key, so the certificate is not read either.
        guard let certificate, let key, readsSecrets else { return nil }
        for (name, path, mark) in [("certificate", certificate, "BEGIN CERTIFICATE"), ("key", key, "PRIVATE KEY")] {
            guard let contents = contents(of: path, at: section.path(name), isSecret: name == "key") else { continue }
            if !String(decoding: contents, as: UTF8.self).contains(mark) {
                section.problem(name, "\(quoted(path)) contains no PEM with \(quoted(mark))")
            }
        }
        return .init(certificateFile: resolved(certificate), keyFile: resolved(key))
    }

    private func networks(_ section: inout Section, _ key: String) -> [Network]? {
        section.texts(key).map { texts in
            texts.compactMap { item in
                if let network = Network(item.text) { return network }
                diagnostics.problem(
                    item.path, "\(quoted(item.text)) is not a network such as 17.0.0.0/8, without bits after the prefix"
                )
                return nil
            }
        }
    }

    // MARK: Trust

    func trust(_ section: inout Section, _ trust: inout ServerConfiguration.Trust) {
        trust.anchors = anchors(&section, "anchors") ?? trust.anchors
        trust.receiptAnchors = anchors(&section, "receipts") ?? trust.anchors
        trust.revocation = section.word("revocation", of: Self.revocations) ?? trust.revocation
        trust.revocationHosts = revocationHosts(&section)
        trust.validationTime = section.word("certificates_valid_at", of: Self.instants) ?? trust.validationTime
        if trust.anchors != .apple { addNote(section.path("anchors"), "roots other than Apple's are trusted") }
        if trust.receiptAnchors != .apple, trust.receiptAnchors != trust.anchors {
            addNote(section.path("receipts"), "roots other than Apple's are trusted")
        }
        if trust.validationTime == .signingDate {
            addNote(section.path("certificates_valid_at"), "certificates that have expired are accepted")
        }
    }

    /// Reads the hosts of OCSP responders. A URL would never match a host, so it is a problem.
    private func revocationHosts(_ section: inout Section) -> Set<String> {
        let hosts = section.texts("revocation_hosts") ?? []
        for host in hosts where !Self.isHost(host.text) {
            diagnostics.problem(
                host.path,
                "\(Self.redacted(host.text)) is not a host such as ocsp.example.com, without scheme and port")
        }
        return Set(hosts.map { $0.text.lowercased() })
    }

    /// Whether a text is only a host name or an IP address.
    private static func isHost(_ text: String) -> Bool {
        if text.contains(":") { return Network(text) != nil && !text.contains("/") }
        return host(ofURL: "http://" + text) == text.lowercased() && !text.contains("*")
    }

    /// Reads a list of trust anchors: Apple's roots or certificate files. Returns nil if the setting is absent.
    private func anchors(_ section: inout Section, _ key: String) -> TrustAnchors? {
        guard let names = section.texts(key) else { return nil }
        if names.isEmpty { section.problem(key, "is empty, so nothing would be trusted") }
        var anchors: TrustAnchors?
        for name in names {
            guard let found = self.anchors(name.text, at: name.path) else { continue }
            anchors = anchors?.union(found) ?? found
        }
        return anchors
    }

    private func anchors(_ name: String, at path: String) -> TrustAnchors? {
        if name == "apple" { return .apple }
        guard let contents = contents(of: name, at: path, isSecret: false) else { return nil }
        do { return try TrustAnchors(certificates: [contents]) } catch {
            diagnostics.problem(path, "\(quoted(name)): \(error.message)")
            return nil
        }
    }

    // MARK: Other sections

    func storage(_ section: inout Section, _ storage: inout ServerConfiguration.Storage) {
        storage.path = section.text("path") ?? storage.path
        if storage.path.isEmpty { section.problem("path", "is empty") }
        storage.synchronous = section.word("synchronous") ?? storage.synchronous
        storage.maximumRefusedDeliveries =
            section.number("refused_kept", in: 0...10_000_000) ?? storage.maximumRefusedDeliveries
        storage.maximumRefusedBytes =
            section.bytes("refused_bytes", in: 1 << 20...(64 << 30)) ?? storage.maximumRefusedBytes
        storage.cacheMiB = section.number("cache_mib", in: 1...65_536) ?? storage.cacheMiB
    }

    func recovery(_ section: inout Section, _ recovery: inout ServerConfiguration.Recovery) {
        recovery.isEnabled = section.flag("enabled") ?? recovery.isEnabled
        recovery.interval =
            section.duration("interval", in: .seconds(10)...(.seconds(7 * 86_400))) ?? recovery.interval
        recovery.overlap = section.duration("overlap", in: .seconds(60)...(.seconds(7 * 86_400))) ?? recovery.overlap
        recovery.parallelWindows = section.number("windows", in: 1...64) ?? recovery.parallelWindows
        recovery.retentionDays = section.number("retention_days", in: 1...180) ?? recovery.retentionDays
    }

    func limits(_ section: inout Section, _ limits: inout ServerConfiguration.Limits) {
        limits.requestBytes = section.bytes("request_bytes", in: 65_536...(64 << 20)) ?? limits.requestBytes
        limits.bufferedBytes = section.bytes("buffered_bytes", in: 1 << 20...(64 << 30)) ?? limits.bufferedBytes
        if limits.bufferedBytes < limits.requestBytes {
            section.problem(
                "buffered_bytes", "is less than request_bytes, so the largest request would never be accepted")
        }
        limits.connectionsPerAddress =
            section.number("connections_per_address", in: 1...1_000_000) ?? limits.connectionsPerAddress
        limits.requestsPerSecond =
            section.number("requests_per_second", in: 1...1_000_000) ?? limits.requestsPerSecond
        limits.requestTimeout =
            section.duration("request_time", in: .seconds(1)...(.seconds(600))) ?? limits.requestTimeout
    }

    func log(_ section: inout Section, _ log: inout ServerConfiguration.Log) {
        log.level = section.word("level") ?? log.level
        log.format = section.word("format") ?? log.format
    }

    func clock(_ text: String, _ root: Section) -> ServerConfiguration.Clock {
        guard text != "system" else { return .system }
        guard let host = Self.host(ofURL: text) else {
            root.problem("clock", "\(Self.redacted(text)) is neither system nor the URL of a simulator's control API")
            return .system
        }
        addNote("clock", "the server uses the clock of \(quoted(host))")
        return .simulator(text)
    }

    // MARK: Checks across sections

    func check(_ configuration: ServerConfiguration) {
        let listen = configuration.listen
        if !Network.isLoopback(host: listen.host), listen.tls == nil, listen.trustedProxies.isEmpty {
            addNote("listen", "others can reach \(quoted(listen.host)) without TLS; set tls or trusted_proxies")
        }
        if configuration.console.isEnabled,
            !configuration.keys.contains(where: { !$0.isPublic && $0.scopes.contains(.consoleOpen) })
        {
            addNote("console", "no key has the scope console:open, so nobody can sign in")
        }
        if configuration.console.isEnabled, let console = configuration.console.listen, console.port == listen.port,
            Self.blocksListening(console.host, listen.host) || Self.blocksListening(listen.host, console.host)
        {
            diagnostics.problem(
                "console.listen.port",
                "is also listen.port; choose another port, or leave out console.listen to have the console there")
        }
        if configuration.console.isEnabled, configuration.console.listen == nil, let url = listen.publicURL,
            let path = URLComponents(string: url)?.path, !path.isEmpty
        {
            addNote(
                "listen.public_url",
                "the console works at the root of a host, not below \(quoted(path)); give it console.listen, or a host")
        }
        if configuration.keys.isEmpty { addNote("keys", "no key is configured, so nobody can use the API") }
        checkResponseKeys(of: configuration.apps)
    }

    /// Warns of a key for signed responses that two apps share. The client package does not compare the app of a
    /// response.
    private func checkResponseKeys(of apps: [ServerConfiguration.App]) {
        var keys: Set<[UInt8]> = []
        for (index, app) in apps.enumerated() {
            guard let key = app.responseSigningKey, !keys.insert(key.publicKey).inserted else { continue }
            addNote(
                "apps[\(index)].answer_key",
                "is the same as that of another app: each of the two accepts responses about the other")
        }
    }

    /// Whether listening at `host` prevents listening at `other` on the same port.
    private static func blocksListening(_ host: String, _ other: String) -> Bool {
        host == other || host == "::" || host == "0.0.0.0" && !other.contains(":")
    }

    /// Returns a URL for a message, without its text if it contains an @, because a password may precede the @.
    static func redacted(_ url: String) -> String {
        url.utf8.contains(UInt8(ascii: "@")) ? "the value (not shown, since it contains an @)" : quoted(url)
    }

    /// Returns the host of an `http` or `https` URL, without the brackets of IPv6. Returns nil if the URL has another
    /// scheme, a user, a password or a fragment.
    static func host(ofURL text: String) -> String? {
        guard text.isVisibleASCII, text.utf8.count <= 2048, let parts = URLComponents(string: text),
            ["http", "https"].contains(parts.scheme?.lowercased()), let host = parts.host, !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.fragment == nil
        else { return nil }
        return host.trimmingCharacters(in: ["[", "]"]).lowercased()
    }

    /// Whether a connection to the URL is safe from eavesdroppers: HTTPS or loopback. True for an invalid URL.
    func isSecureOrLoopback(_ url: String) -> Bool {
        guard !url.lowercased().hasPrefix("https:"), let host = Self.host(ofURL: url) else { return true }
        return Network.isLoopback(host: host)
    }
}
