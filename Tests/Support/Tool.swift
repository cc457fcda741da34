package import Foundation

/// Runs command line programs, and creates temporary folders for their files.
package enum Tool {
    /// Runs a program from the path, without input, and waits until it has ended.
    package static func run(_ program: String, _ arguments: [String]) async throws -> ChildProcess.Outcome {
        try await ChildProcess.run(URL(filePath: "/usr/bin/env"), [program] + arguments)
    }

    /// Whether a program is on the path and its `version` command prints this version.
    package static func isAvailable(_ program: String, version: String) async -> Bool {
        // A program that cannot be run counts as missing.
        (try? await run(program, ["version"]).output.hasPrefix(version)) == true
    }

    /// Calls `body` with a new folder, and removes the folder afterwards.
    package static func inTemporaryFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "counterfoil-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }
}
