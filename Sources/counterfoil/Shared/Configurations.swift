import CounterfoilServer
import Foundation

/// Reads the server's configuration for commands that need it. Problems go to standard error.
enum Configurations {
    /// Reads a configuration. Prints every problem if it is invalid.
    ///
    /// - Parameters:
    ///   - secrets: The secrets to read: some may exist only while the server runs.
    ///   - port: Replaces `listen.port`; nil keeps it.
    static func load(_ file: String, secrets: SecretReading = .all, port: Int? = nil) throws -> LoadedConfiguration {
        try Input.requireFile(
            file, remedy: "name another with --config, or write one with: counterfoil server init")
        do throws(ConfigurationError) {
            return try LoadedConfiguration(contentsOf: URL(filePath: file), secrets: secrets, port: port)
        } catch {
            let style = Style.current(.standardError)
            for problem in error.problems { Output.error(ConfigurationReport.line(problem, in: file, style)) }
            throw Refusal(code: "invalid_configuration", message: "\(file.printable) is invalid")
        }
    }
}
