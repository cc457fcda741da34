package import Foundation

/// Runs programs that give a second opinion, and makes folders for their files.
package enum Tool {
    /// Runs a program found on the path, without input, and waits for its end.
    package static func run(_ program: String, _ arguments: [String]) async throws -> ChildProcess.Outcome {
        try await ChildProcess.run(URL(filePath: "/usr/bin/env"), [program] + arguments)
    }

    /// Whether a program is on the path and says that it is of this version.
    package static func isThere(_ program: String, version: String) async -> Bool {
        // A program that cannot be run is not there.
        (try? await run(program, ["version"]).output.hasPrefix(version)) == true
    }

    /// Calls `body` with a new folder that is removed afterwards.
    package static func inTemporaryFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "counterfoil-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }
}
