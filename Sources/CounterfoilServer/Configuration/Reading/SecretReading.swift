/// Which secrets in files and environment variables are read with the configuration.
package enum SecretReading: Sendable {
    /// All. One that does not exist is a problem.
    case all
    /// All, but a systemd credential that does not exist is only a note. For commands before and beside the service.
    case present
    /// None, for commands that need none. The settings are as if they had been left out.
    case leftOut
}

/// The settings whose systemd credentials (`LoadCredential=`) do not exist for this process: the unit does not run, or
/// only root and the service may see them.
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
