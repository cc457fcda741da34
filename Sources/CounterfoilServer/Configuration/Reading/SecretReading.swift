/// Whether secrets in files and environment variables are read with the configuration.
package enum SecretReading: Sendable {
    /// Read all secrets. A missing secret is a problem.
    case all
    /// Read all secrets. A missing systemd credential is only a warning. For commands that run outside the service.
    case present
    /// Read no secrets, for commands that need none. Their settings are treated as absent.
    case omitted
}

/// The settings whose systemd credentials (`LoadCredential=`) do not exist for this process: the unit is not running,
/// or only root and the service can see them.
struct AbsentCredentials: Sendable {
    /// The settings, and the settings and sections that contain them.
    private var settings: Set<String> = []

    /// Whether a file is in a credentials directory of systemd.
    ///
    /// - Parameter directory: `$CREDENTIALS_DIRECTORY`, if the process is part of a unit with credentials.
    static func isCredential(_ file: String, directory: String?) -> Bool {
        if let directory, !directory.isEmpty, file.hasPrefix(directory + "/") { return true }
        return file.hasPrefix("/run/credentials/")
    }

    mutating func add(_ path: String) {
        settings.insert(path)
        for end in path.indices where path[end] == "." || path[end] == "[" { settings.insert(String(path[..<end])) }
    }

    /// Whether a setting or a part of it is absent: `apps[0].key` contains `apps[0].key.private_key.file`.
    func isAny(in setting: String) -> Bool { settings.contains(setting) }
}
