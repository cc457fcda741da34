package import Foundation

/// Runs programs that give a second opinion, and makes folders for their files.
package enum Tool {
    /// What a program left behind.
    package struct Outcome: Sendable {
        package let status: Int32
        package let output: String
        package let errors: String

        /// Both outputs: programs disagree on where a verdict belongs.
        package var text: String { output + errors }
    }

    /// Runs a program found on the path, without input, and waits for its end.
    package static func run(_ program: String, _ arguments: [String]) async throws -> Outcome {
        try await inTemporaryFolder { folder in
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [program] + arguments
            // Files, not pipes: no output is too long for a file.
            let (output, errors) = (folder.appending(path: "out"), folder.appending(path: "err"))
            try Data().write(to: output)
            try Data().write(to: errors)
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = try FileHandle(forWritingTo: output)
            process.standardError = try FileHandle(forWritingTo: errors)
            let status = try await withCheckedThrowingContinuation { (done: CheckedContinuation<Int32, any Error>) in
                process.terminationHandler = { done.resume(returning: $0.terminationStatus) }
                do { try process.run() } catch {
                    process.terminationHandler = nil
                    done.resume(throwing: error)
                }
            }
            return Outcome(
                status: status, output: try String(contentsOf: output, encoding: .utf8),
                errors: try String(contentsOf: errors, encoding: .utf8))
        }
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
