import Foundation

/// Temporary folders that exist only during one run of a command.
enum TemporaryFolder {
    private static let prefix = "counterfoil-"

    /// Whether a file is in a temporary folder, and is removed when the command that made it ends.
    static func contains(_ file: String) -> Bool {
        let name = URL(filePath: file).deletingLastPathComponent().lastPathComponent
        return name.hasPrefix(prefix) && UUID(uuidString: String(name.dropFirst(prefix.count))) != nil
    }

    /// Runs `body` with the path of a folder, which `body` creates. The folder is removed afterwards, also if a signal
    /// or a failed write to standard output ends the process.
    static func use<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: prefix + UUID().uuidString)
        return try await Signals.removing([folder.path]) {
            // Ignore a failure: a temporary folder that stays does no harm.
            defer { try? FileManager.default.removeItem(at: folder) }
            return try await body(folder)
        }
    }
}
