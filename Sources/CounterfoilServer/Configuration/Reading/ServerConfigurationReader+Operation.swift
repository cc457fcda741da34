internal import Basics
internal import Ledger
internal import AppStoreTrust
internal import ConfigurationReading
internal import Foundation
internal import Logging

extension ServerConfigurationReader {
    private static let revocations = Vocabulary<RevocationPolicy>(
        // YAML calls false what is written off.
        RevocationPolicy.allCases.map { ($0.rawValue, $0 == .off ? ["false"] : [], $0) })
    private static let instants = Vocabulary<ValidationInstant>([
        ("now", [], .now), ("signing_date", ["signed_date"], .signingDate),
    ])
    private static let synchronous = Vocabulary<ServerConfiguration.Synchronous>(
        ServerConfiguration.Synchronous.allCases.map { ($0.rawValue, [], $0) })
    private static let levels = Vocabulary<Logger.Level>(Logger.Level.allCases.map { ($0.rawValue, [], $0) })
    private static let metricsAccess = Vocabulary<ServerConfiguration.MetricsAccess>(
        ServerConfiguration.MetricsAccess.allCases.map { ($0.rawValue, [], $0) })
    private static let formats = Vocabulary<ServerConfiguration.LogFormat>(
        ServerConfiguration.LogFormat.allCases.map { ($0.rawValue, [], $0) })

    // MARK: Network

    func listen(_ section: inout Section) -> ServerConfiguration.Listen {
        var listen = ServerConfiguration.Listen()
        listen.host = section.text("host") ?? listen.host
        if listen.host.isEmpty { section.problem("host", "is empty") }
        listen.port = section.number("port", in: 0...65535) ?? listen.port
        if let url = section.text("public_url") {
            if Self.host(ofURL: url) == nil {
                section.problem("public_url", "\(Self.shown(url)) is not a URL such as https://example.com")
            }
            listen.publicURL = String(url.reversed().drop { $0 == "/" }.reversed())
        }
        if var tls = section.section("tls") { listen.tls = self.tls(&tls) }
        listen.trustedProxies = networks(&section, "trusted_proxies") ?? []
        listen.metrics = section.word("metrics", of: Self.metricsAccess) ?? listen.metrics
        listen.notificationNetworks = networks(&section, "notification_networks")
        if listen.notificationNetworks?.isEmpty == true {
            section.problem("notification_networks", "is empty, so no notification would be accepted")
        }
        section.finish()
        return listen
    }

    private func tls(_ section: inout Section) -> ServerConfiguration.TLS? {
        let (certificate, key) = (section.requiredText("certificate"), section.requiredText("key"))
        section.finish()
        // Where the key is not, the certificate need not be.
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
                findings.problem(
                    item.path, "\(quoted(item.text)) is not a network such as 17.0.0.0/8, without bits after the prefix"
                )
                return nil
            }
        }
    }

    // MARK: Trust

    func trust(_ section: inout Section) -> ServerConfiguration.Trust {
        var trust = ServerConfiguration.Trust()
        trust.anchors = anchors(&section, "anchors") ?? .apple
        trust.receiptAnchors = anchors(&section, "receipts") ?? trust.anchors
        trust.revocation = section.word("revocation", of: Self.revocations) ?? trust.revocation
        trust.revocationHosts = revocationHosts(&section)
        trust.validAt = section.word("certificates_valid_at", of: Self.instants) ?? trust.validAt
        section.finish()
        if trust.anchors != .apple { note(section.path("anchors"), "roots other than Apple's are trusted") }
        if trust.receiptAnchors != .apple, trust.receiptAnchors != trust.anchors {
            note(section.path("receipts"), "roots other than Apple's are trusted")
        }
        if trust.validAt == .signingDate {
            note(section.path("certificates_valid_at"), "certificates that have expired are accepted")
        }
        return trust
    }

    /// The hosts of responders. A URL would be the host of none.
    private func revocationHosts(_ section: inout Section) -> Set<String> {
        let hosts = section.texts("revocation_hosts") ?? []
        for host in hosts where !Self.isHost(host.text) {
            findings.problem(
                host.path, "\(quoted(host.text)) is not a host such as ocsp.example.com, without scheme and port")
        }
        return Set(hosts.map { $0.text.lowercased() })
    }

    /// Whether a text is a name or an address, and no more.
    private static func isHost(_ text: String) -> Bool {
        if text.contains(":") { return Network(text) != nil && !text.contains("/") }
        return host(ofURL: "http://" + text) == text.lowercased() && !text.contains("*")
    }

    /// Apple's roots, or those in files; nil if the file does not tell.
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
            findings.problem(path, "\(quoted(name)): \(error.message)")
            return nil
        }
    }

    // MARK: The rest

    /// Also called without a section, to put the file beside the configuration.
    func storage(_ section: inout Section?) -> ServerConfiguration.Storage {
        var storage = ServerConfiguration.Storage()
        storage.path = resolved(section?.text("path") ?? storage.path)
        storage.synchronous = section?.word("synchronous", of: Self.synchronous) ?? storage.synchronous
        storage.refusedKept = section?.number("refused_kept", in: 0...10_000_000) ?? storage.refusedKept
        storage.refusedBytes = section?.bytes("refused_bytes", in: 1 << 20...(64 << 30)) ?? storage.refusedBytes
        storage.cacheMiB = section?.number("cache_mib", in: 1...65_536) ?? storage.cacheMiB
        section?.finish()
        return storage
    }

    func recovery(_ section: inout Section) -> ServerConfiguration.Recovery {
        var recovery = ServerConfiguration.Recovery()
        recovery.isEnabled = section.flag("enabled") ?? recovery.isEnabled
        recovery.interval =
            section.duration("interval", in: .seconds(10)...(.seconds(7 * 86_400))) ?? recovery.interval
        recovery.overlap = section.duration("overlap", in: .seconds(60)...(.seconds(7 * 86_400))) ?? recovery.overlap
        recovery.windows = section.number("windows", in: 1...64) ?? recovery.windows
        recovery.retentionDays = section.number("retention_days", in: 1...180) ?? recovery.retentionDays
        section.finish()
        return recovery
    }

    func limits(_ section: inout Section) -> ServerConfiguration.Limits {
        var limits = ServerConfiguration.Limits()
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
        limits.requestTime = section.duration("request_time", in: .seconds(1)...(.seconds(600))) ?? limits.requestTime
        section.finish()
        return limits
    }

    func log(_ section: inout Section) -> ServerConfiguration.Log {
        var log = ServerConfiguration.Log()
        log.level = section.word("level", of: Self.levels) ?? log.level
        log.format = section.word("format", of: Self.formats) ?? log.format
        section.finish()
        return log
    }

    func clock(_ text: String, _ root: Section) -> ServerConfiguration.Clock {
        guard text != "system" else { return .system }
        guard let host = Self.host(ofURL: text) else {
            root.problem("clock", "\(Self.shown(text)) is neither system nor the URL of a simulator's control API")
            return .system
        }
        note("clock", "the server uses the clock of \(quoted(host))")
        return .simulator(text)
    }

    // MARK: Judgements

    func judge(_ configuration: ServerConfiguration) {
        let listen = configuration.listen
        let isHere = listen.host == "localhost" || Network.loopback.contains { $0.contains(listen.host) }
        if !isHere, listen.tls == nil, listen.trustedProxies.isEmpty {
            note("listen", "others can reach \(quoted(listen.host)) without TLS; set tls or trusted_proxies")
        }
        if configuration.console.isEnabled,
            !configuration.keys.contains(where: { !$0.isPublic && $0.scopes.contains(.consoleOpen) })
        {
            note("console", "no key has the scope console:open, so nobody can sign in")
        }
        if configuration.console.isEnabled, let console = configuration.console.listen, console.port == listen.port,
            Self.listensToo(console.host, listen.host) || Self.listensToo(listen.host, console.host)
        {
            findings.problem(
                "console.listen.port",
                "is also listen.port; choose another port, or leave out console.listen to have the console there")
        }
        if configuration.console.isEnabled, configuration.console.listen == nil, let url = listen.publicURL,
            let path = URLComponents(string: url)?.path, !path.isEmpty
        {
            note(
                "listen.public_url",
                "the console works at the root of a host, not below \(quoted(path)); give it console.listen, or a host")
        }
        if configuration.keys.isEmpty { note("keys", "no key is configured, so nobody can use the API") }
    }

    /// Whether what listens at `host` is in the way of what listens at `other`, with the same port.
    private static func listensToo(_ host: String, _ other: String) -> Bool {
        host == other || host == "::" || host == "0.0.0.0" && !other.contains(":")
    }

    /// What should be a URL, for a message. What stands before an @ may be a password.
    static func shown(_ url: String) -> String {
        url.utf8.contains(UInt8(ascii: "@")) ? "what stands here, with an @," : quoted(url)
    }

    /// The host of an `http` or `https` URL without a password, without the brackets of IPv6; nil for anything else.
    static func host(ofURL text: String) -> String? {
        guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }), text.utf8.count <= 2048,
            let parts = URLComponents(string: text),
            ["http", "https"].contains(parts.scheme?.lowercased()), let host = parts.host, !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.fragment == nil
        else { return nil }
        return host.trimmingCharacters(in: ["[", "]"]).lowercased()
    }

    /// Whether nobody between can read along: HTTPS, or this machine.
    func isSecureOrHere(_ url: String) -> Bool {
        guard !url.lowercased().hasPrefix("https:"), let host = Self.host(ofURL: url) else { return true }
        return host == "localhost" || Network.loopback.contains { $0.contains(host) }
    }
}
