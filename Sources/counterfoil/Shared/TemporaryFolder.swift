import Foundation

/// Folders that only one run of a command needs.
enum TemporaryFolder {
    private static let prefix = "counterfoil-"

    /// Whether a file lies in such a folder, and goes with the run that made it.
    static func holds(_ file: String) -> Bool {
        let name = URL(filePath: file).deletingLastPathComponent().lastPathComponent
        return name.hasPrefix(prefix) && UUID(uuidString: String(name.dropFirst(prefix.count))) != nil
    }

    /// Has `body` make and use a folder. It goes in the end, also where Ctrl-C or SIGTERM ends the process or nobody reads
    /// what it prints.
    static func use<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: prefix + UUID().uuidString)
        return try await Signals.removing(folder.path) {
            // What is left of one does no harm.
            defer { try? FileManager.default.removeItem(at: folder) }
            return try await body(folder)
        }
    }
}
