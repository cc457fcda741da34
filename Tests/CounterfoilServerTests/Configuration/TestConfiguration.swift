import Basics
import CounterfoilServer
import Crypto
import Foundation
import StoreSimulator

/// Reads configurations from given texts, files and variables instead of the disk and the environment.
enum TestConfiguration {
    /// The smallest valid configuration.
    static let smallest = """
        apps:
          - bundle_id: com.example.app
            apple_id: 1234567890

        """

    /// A private key in the format of App Store Connect.
    static let privateKey = P256.Signing.PrivateKey().pemRepresentation

    /// Reads `text` as a file in `/etc/counterfoil`. Only `files` exist.
    static func read(
        _ text: String, environment: [String: String] = [:], files: [String: ConfigurationFiles.File] = [:],
        secrets: SecretReading = .all, port: Int? = nil
    ) throws(ConfigurationError) -> LoadedConfiguration {
        try LoadedConfiguration(
            yaml: text, folder: "/etc/counterfoil", environment: environment,
            files: ConfigurationFiles { path, maximumBytes throws(ConfigurationFiles.Unreadable) in
                guard let file = files[path] else {
                    throw ConfigurationFiles.Unreadable(FileReachability.absence, isAbsence: true)
                }
                return file
            }, secrets: secrets, port: port)
    }

    /// The problems of `text`, one line each.
    static func problems(
        _ text: String, environment: [String: String] = [:], files: [String: ConfigurationFiles.File] = [:],
        port: Int? = nil
    ) -> [String] {
        do throws(ConfigurationError) {
            _ = try read(text, environment: environment, files: files, port: port)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    static func file(_ text: String, _ permissions: Int = 0o600) -> ConfigurationFiles.File {
        .init(contents: Data(text.utf8), permissions: permissions)
    }
}
