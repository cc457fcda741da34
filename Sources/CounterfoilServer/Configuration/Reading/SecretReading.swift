/// Which of the secrets that are elsewhere, in files and in variables, a reader of the configuration reads.
package enum SecretReading: Sendable {
    /// All of them, as the server does.
    case all
    /// All but credentials of a unit that does not run: for who looks at the configuration before or beside the service.
    case present
    /// None, as if they had been left out: for who needs none.
    case leftOut
}

/// The settings whose secrets are credentials of a systemd unit (`LoadCredential=`) and not there, since the unit does not run
/// or only root and the service may see them.
struct AbsentCredentials: Sendable {
    private var paths: [String] = []

    /// Whether a file is where systemd puts the credentials of a unit.
    ///
    /// - Parameter directory: `$CREDENTIALS_DIRECTORY`, if the process is such a unit's.
    static func isCredential(_ file: String, directory: String?) -> Bool {
        if let directory, !directory.isEmpty, file.hasPrefix(directory + "/") { return true }
        return file.hasPrefix("/run/credentials/")
    }

    mutating func add(_ path: String) { paths.append(path) }

    /// Whether one of them belongs to a setting: `apps[0].key` has `apps[0].key.private_key.file`.
    func isAny(in setting: String) -> Bool {
        paths.contains { $0 == setting || $0.hasPrefix(setting + ".") || $0.hasPrefix(setting + "[") }
    }
}
