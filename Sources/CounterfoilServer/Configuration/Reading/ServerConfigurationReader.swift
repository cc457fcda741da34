internal import AppStoreModels
internal import AppStoreServer
internal import ConfigurationReading
internal import Foundation
internal import Ledger
internal import LedgerServices

/// Reads the sections of the server's configuration. For an invalid value it adds a problem to the diagnostics, uses a
/// harmless value instead and reads on.
final class ServerConfigurationReader {
    let diagnostics = ConfigurationDiagnostics(unknownKeys: .areProblems)
    private(set) var notes: [ConfigurationIssue] = []
    private let folder: String
    private let files: ConfigurationFiles
    private let environment: [String: String]
    private let secretReading: SecretReading
    /// The systemd credentials that do not exist.
    private(set) var absentCredentials = AbsentCredentials()
    /// The issuer IDs and key IDs by the path of their key, also of keys whose files do not exist yet.
    var keyIdentifiers: [String: (issuer: String, key: String)] = [:]
    /// The paths of the apps that have no secret for customer tokens, by bundle ID. An app is removed once a public key
    /// needs it, so that several keys report it once.
    var appsWithoutTokenSecret: [String: String] = [:]
    /// The environment variables that contain secrets.
    private(set) var secretVariables: Set<String> = []
    /// The paths of the settings whose secret is written in the configuration file itself.
    private var inlineSecrets: [String] = []

    /// The maximum size of a file with a secret or a certificate.
    private static let maximumFileBytes = 1 << 20

    init(folder: String, files: ConfigurationFiles, environment: [String: String], secrets: SecretReading) {
        self.folder = folder
        self.files = files
        self.environment = environment
        secretReading = secrets
    }

    /// Whether secrets in files and environment variables are read. Otherwise their settings are treated as absent.
    var readsSecrets: Bool { secretReading != .omitted }

    func read(_ root: ConfigurationValue) -> ServerConfiguration {
        var configuration = ServerConfiguration(apps: [])
        // Read an empty file as an empty mapping, so that it gets the problems for missing settings.
        var root = root
        if case .nothing = root.content { root.content = .mapping([:]) }
        guard var section = Section(root, path: "", diagnostics: diagnostics) else { return configuration }
        configuration.apps = apps(&section)
        section.read("listen") { listen(&$0, &configuration.listen) }
        section.read("trust") { trust(&$0, &configuration.trust) }
        section.read("storage") { storage(&$0, &configuration.storage) }
        configuration.storage.path = resolved(configuration.storage.path)
        configuration.keys = keys(&section, apps: configuration.apps)
        configuration.webhooks = webhooks(&section, apps: configuration.apps)
        section.read("recovery") { recovery(&$0, &configuration.recovery) }
        section.read("limits") { limits(&$0, &configuration.limits) }
        section.read("log") { log(&$0, &configuration.log) }
        section.read("console") { console(&$0, &configuration.console) }
        if let clock = section.text("clock") { configuration.clock = self.clock(clock, section) }
        section.finish()
        checkInlineSecrets(configuration)
        check(configuration)
        return configuration
    }

    func addNote(_ path: String, _ message: String) {
        notes.append(.init(path: path, message: message, line: diagnostics.line(near: path)))
    }

    // MARK: Files and secrets

    /// Returns an absolute path. Relative paths start in the folder of the configuration file.
    func resolved(_ path: String) -> String {
        path.hasPrefix("/") ? path : URL(filePath: folder).appending(path: path).standardizedFileURL.path
    }

    /// Returns a path for a message. Long paths are shortened to their end, which contains the file's name.
    private func quotedPath(_ path: String) -> String {
        let end = path.unicodeScalars.suffix(60)
        return end.startIndex == path.unicodeScalars.startIndex ? quoted(path) : "…" + quoted(String(end))
    }

    /// Returns the contents of a file. If the file cannot be read, returns nil and adds a problem.
    func contents(of path: String, at place: String, isSecret: Bool) -> Data? {
        if isSecret, !readsSecrets { return nil }
        let isCredential = AbsentCredentials.isCredential(
            resolved(path), directory: environment["CREDENTIALS_DIRECTORY"])
        do throws(ConfigurationFiles.Unreadable) {
            let file = try files.read(resolved(path), maximumBytes: Self.maximumFileBytes)
            // systemd grants access to a credential by an access control list, which looks like a group permission.
            if isSecret, file.isReadableByOthers, !isCredential {
                let mode = String(file.permissions ?? 0, radix: 8)
                addNote(place, "\(quotedPath(path)) can be read by others than its owner (\(mode)): chmod 600")
            }
            return file.contents
        } catch {
            if isCredential, error.isAbsence {
                reportMissingCredential(path, at: place)
            } else {
                diagnostics.problem(place, "\(quotedPath(path)) \(error.reason)")
            }
            return nil
        }
    }

    /// Reports a missing credential: a warning for commands that run outside the service, otherwise a problem.
    private func reportMissingCredential(_ path: String, at place: String) {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let condition = "only while the unit runs, with LoadCredential=\(name):… in it"
        absentCredentials.add(place)
        guard secretReading == .present else {
            return diagnostics.problem(place, "\(quotedPath(path)) does not exist: systemd makes it \(condition)")
        }
        addNote(place, "\(quotedPath(path)) was not checked: it exists \(condition)")
    }

    /// Reads a secret: `{file: PATH}`, `{environment: NAME}`, or the text itself.
    func secret(_ section: inout Section, _ key: String) -> Secret? {
        section.value(key).flatMap { secret($0, at: section.path(key)) }
    }

    /// Reads a secret or a list of secrets.
    func secrets(_ section: inout Section, _ key: String) -> [(secret: Secret, path: String)] {
        guard let value = section.value(key) else { return [] }
        guard case .list = value.content else {
            return secret(value, at: section.path(key)).map { [($0, section.path(key))] } ?? []
        }
        return section.list(key).compactMap { item in secret(item.value, at: item.path).map { ($0, item.path) } }
    }

    private func secret(_ value: ConfigurationValue, at path: String) -> Secret? {
        diagnostics.locate(path, line: value.line)
        switch value.content {
        case .text(let text):
            inlineSecrets.append(path)
            return nonEmptySecret(text, at: path)
        case .mapping:
            guard var section = Section(value, path: path, diagnostics: diagnostics) else { return nil }
            let (file, variable) = (section.text("file"), section.text("environment"))
            section.finish()
            switch (file, variable) {
            case (let file?, nil):
                return contents(of: file, at: section.path("file"), isSecret: true).flatMap {
                    text($0, at: section.path("file"))
                }
            case (nil, let variable?): return self.variable(variable, at: section.path("environment"))
            default:
                diagnostics.problem(path, "should have either file or environment")
                return nil
            }
        case .nothing, .list:
            diagnostics.problem(path, "is \(value.kind) and should be {file: …} or {environment: …}")
            return nil
        }
    }

    private func text(_ contents: Data, at path: String) -> Secret? {
        guard let text = String(validating: contents, as: UTF8.self) else {
            diagnostics.problem(path, "the file is not text")
            return nil
        }
        return nonEmptySecret(text.trimmingCharacters(in: .newlines), at: path)
    }

    private func variable(_ name: String, at path: String) -> Secret? {
        secretVariables.insert(name)
        guard readsSecrets else { return nil }
        guard let text = environment[name] else {
            diagnostics.problem(path, "the environment variable \(quoted(name)) is not set")
            return nil
        }
        return nonEmptySecret(text, at: path)
    }

    private func nonEmptySecret(_ text: String, at path: String) -> Secret? {
        guard !text.isEmpty else {
            diagnostics.problem(path, "is empty")
            return nil
        }
        return Secret(text)
    }

    /// Reports secrets in the configuration file: a problem if an app uses Apple's production, otherwise a warning,
    /// since rehearsals may have them there.
    private func checkInlineSecrets(_ configuration: ServerConfiguration) {
        let isProduction = configuration.apps.contains {
            $0.environments.contains(.production) && $0.hosts[.production] == .production
        }
        for path in inlineSecrets {
            let message = "the secret is in this file; write {file: …} or {environment: …}"
            if isProduction { diagnostics.problem(path, message) } else { addNote(path, message) }
        }
    }
}
