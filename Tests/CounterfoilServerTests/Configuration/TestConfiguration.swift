import CounterfoilServer
import Crypto
import Foundation
import StoreSimulator

/// Configurations without files and without an environment.
enum TestConfiguration {
    /// A file that has what every file needs.
    static let smallest = """
        apps:
          - bundle_id: com.example.app
            apple_id: 1234567890

        """

    /// A private key as App Store Connect has it.
    static let privateKey = P256.Signing.PrivateKey().pemRepresentation

    /// Reads `text` from the folder `/etc/counterfoil`, where there are these files.
    static func read(
        _ text: String, environment: [String: String] = [:], files: [String: ConfigurationFiles.File] = [:],
        secrets: SecretReading = .all, port: Int? = nil
    ) throws(ConfigurationError) -> LoadedConfiguration {
        try LoadedConfiguration(
            yaml: text, folder: "/etc/counterfoil", environment: environment,
            files: ConfigurationFiles { path, maximumBytes throws(ConfigurationFiles.Unreadable) in
                guard let file = files[path] else { throw ConfigurationFiles.Unreadable.absence }
                return file
            }, secrets: secrets, port: port)
    }

    /// What is wrong with `text`, a line each.
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
