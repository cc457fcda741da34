import Foundation

/// Folders that only one run of a command needs.
enum TemporaryFolder {
    /// A folder that is not there yet.
    static func new() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "counterfoil-\(UUID().uuidString)")
    }

    static func remove(_ folder: URL) {
        // What is left of one does no harm.
        try? FileManager.default.removeItem(at: folder)
    }

    /// Has `body` make and use a folder. It goes in the end, also where Ctrl-C or SIGTERM ends the process or nobody reads
    /// what it prints.
    static func use<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let folder = new()
        return try await Signals.removing(folder.path) {
            defer { remove(folder) }
            return try await body(folder)
        }
    }
}
