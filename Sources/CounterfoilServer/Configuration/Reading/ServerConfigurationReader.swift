internal import LedgerServices
internal import Ledger
internal import AppStoreModels
internal import AppStoreServer
internal import ConfigurationReading
internal import Foundation

/// Reads the sections of the server's configuration. What is wrong goes into the findings, and a harmless value takes its
/// place, so that the rest is read as well.
final class ServerConfigurationReader {
    let findings = Findings(unknownKeys: .areProblems)
    private(set) var notes: [ConfigurationIssue] = []
    private let folder: String
    private let files: ConfigurationFiles
    private let environment: [String: String]
    private let secretReading: SecretReading
    /// The credentials that were not there, where that is no problem.
    private(set) var absentCredentials = AbsentCredentials()
    /// The variables that secrets come from.
    private(set) var secretVariables: Set<String> = []
    /// The secrets that are written into the file itself.
    private var inlineSecrets: [String] = []

    /// No secret and no certificate is larger.
    private static let maximumFileBytes = 1 << 20

    init(folder: String, files: ConfigurationFiles, environment: [String: String], secrets: SecretReading) {
        self.folder = folder
        self.files = files
        self.environment = environment
        secretReading = secrets
    }

    /// Whether the secrets that are elsewhere are read. Otherwise they are as if they had been left out.
    var readsSecrets: Bool { secretReading != .leftOut }

    func read(_ root: ConfigurationValue) -> ServerConfiguration {
        var configuration = ServerConfiguration(apps: [])
        // An empty file lacks what every file needs, and is told so below.
        var root = root
        if case .nothing = root.content { root.content = .mapping([:]) }
        guard var section = Section(root, path: "", findings: findings) else { return configuration }
        configuration.apps = apps(&section)
        if var listen = section.section("listen") { configuration.listen = self.listen(&listen) }
        if var trust = section.section("trust") { configuration.trust = self.trust(&trust) }
        var storage = section.section("storage")
        configuration.storage = self.storage(&storage)
        configuration.keys = keys(&section, apps: configuration.apps)
        configuration.webhooks = webhooks(&section, apps: configuration.apps)
        if var recovery = section.section("recovery") { configuration.recovery = self.recovery(&recovery) }
        if var limits = section.section("limits") { configuration.limits = self.limits(&limits) }
        if var log = section.section("log") { configuration.log = self.log(&log) }
        if var console = section.section("console") { configuration.console = self.console(&console) }
        if let clock = section.text("clock") { configuration.clock = self.clock(clock, section) }
        section.finish()
        judgeInlineSecrets(configuration)
        judge(configuration)
        return configuration
    }

    func note(_ path: String, _ message: String) {
        notes.append(.init(path: path, message: message, line: findings.line(near: path)))
    }

    // MARK: Files and secrets

    /// A path as the file says it: relative ones begin beside the file.
    func resolved(_ path: String) -> String {
        path.hasPrefix("/") ? path : URL(filePath: folder).appending(path: path).standardizedFileURL.path
    }

    /// A path for a message: of a long one the end, where the file's name is.
    private func quotedPath(_ path: String) -> String {
        let end = path.unicodeScalars.suffix(60)
        return end.startIndex == path.unicodeScalars.startIndex ? quoted(path) : "…" + quoted(String(end))
    }

    /// What is in a file; nil, and a problem, if there is nothing.
    func contents(of path: String, at place: String, isSecret: Bool) -> Data? {
        if isSecret, !readsSecrets { return nil }
        let isCredential = AbsentCredentials.isCredential(
            resolved(path), directory: environment["CREDENTIALS_DIRECTORY"])
        do throws(ConfigurationFiles.Unreadable) {
            let file = try files.read(resolved(path), maximumBytes: Self.maximumFileBytes)
            // systemd lets the service read a credential by an access control list, which looks like a right of the group.
            if isSecret, file.isOpen, !isCredential {
                let mode = String(file.permissions ?? 0, radix: 8)
                note(place, "\(quotedPath(path)) can be read by others than its owner (\(mode)): chmod 600")
            }
            return file.contents
        } catch {
            if isCredential, error == .absence {
                missCredential(path, at: place)
            } else {
                findings.problem(place, "\(quotedPath(path)) \(error.reason)")
            }
            return nil
        }
    }

    /// Says that a credential is not there: no problem for who asks before the service runs.
    private func missCredential(_ path: String, at place: String) {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let condition = "only while the unit runs, with LoadCredential=\(name):… in it"
        absentCredentials.add(place)
        guard secretReading == .present else {
            return findings.problem(place, "\(quotedPath(path)) does not exist: systemd makes it \(condition)")
        }
        note(place, "\(quotedPath(path)) was not checked: it exists \(condition)")
    }

    /// A secret: `{file: PATH}`, `{environment: NAME}`, or the text itself.
    func secret(_ section: inout Section, _ key: String) -> Secret? {
        section.value(key).flatMap { secret($0, at: section.path(key)) }
    }

    /// Several secrets, or one.
    func secrets(_ section: inout Section, _ key: String) -> [(secret: Secret, path: String)] {
        guard let value = section.value(key) else { return [] }
        guard case .list = value.content else {
            return secret(value, at: section.path(key)).map { [($0, section.path(key))] } ?? []
        }
        return section.list(key).compactMap { item in secret(item.value, at: item.path).map { ($0, item.path) } }
    }

    private func secret(_ value: ConfigurationValue, at path: String) -> Secret? {
        findings.locate(path, line: value.line)
        switch value.content {
        case .text(let text):
            inlineSecrets.append(path)
            return filled(text, at: path)
        case .mapping:
            guard var section = Section(value, path: path, findings: findings) else { return nil }
            let (file, variable) = (section.text("file"), section.text("environment"))
            section.finish()
            switch (file, variable) {
            case (let file?, nil):
                return contents(of: file, at: section.path("file"), isSecret: true).flatMap {
                    text($0, at: section.path("file"))
                }
            case (nil, let variable?): return self.variable(variable, at: section.path("environment"))
            default:
                findings.problem(path, "should name one of file and environment")
                return nil
            }
        case .nothing, .list:
            findings.problem(path, "is \(value.kind) and should be {file: …} or {environment: …}")
            return nil
        }
    }

    private func text(_ contents: Data, at path: String) -> Secret? {
        guard let text = String(validating: contents, as: UTF8.self) else {
            findings.problem(path, "the file is not text")
            return nil
        }
        return filled(text.trimmingCharacters(in: .newlines), at: path)
    }

    private func variable(_ name: String, at path: String) -> Secret? {
        secretVariables.insert(name)
        guard readsSecrets else { return nil }
        guard let text = environment[name] else {
            findings.problem(path, "the environment variable \(quoted(name)) is not set")
            return nil
        }
        return filled(text, at: path)
    }

    private func filled(_ text: String, at path: String) -> Secret? {
        guard !text.isEmpty else {
            findings.problem(path, "is empty")
            return nil
        }
        return Secret(text)
    }

    /// Secrets in the file are for rehearsals: a server that talks to Apple's production has them elsewhere.
    private func judgeInlineSecrets(_ configuration: ServerConfiguration) {
        let isProduction = configuration.apps.contains {
            $0.environments.contains(.production) && $0.hosts[.production] == .production
        }
        for path in inlineSecrets {
            let message = "the secret is in this file; write {file: …} or {environment: …}"
            if isProduction { findings.problem(path, message) } else { note(path, message) }
        }
    }
}
