package import Foundation

/// Runs command line programs, and creates temporary folders for their files.
package enum Tool {
    /// The executable was not built.
    package struct NotBuilt: Error, CustomStringConvertible {
        package let description: String
    }

    /// Runs a program from the path, without input, and waits until it has ended.
    package static func run(_ program: String, _ arguments: [String]) async throws -> ChildProcess.Outcome {
        try await ChildProcess.run(URL(filePath: "/usr/bin/env"), [program] + arguments)
    }

    /// Whether a program is on the path and its `version` command prints this version.
    package static func isAvailable(_ program: String, version: String) async -> Bool {
        // A program that cannot be run counts as missing.
        (try? await run(program, ["version"]).output.hasPrefix(version)) == true
    }

    /// Returns the built executable `counterfoil`, which is beside the test bundle.
    package static func executable() throws -> URL {
        let bundles = Bundle.allBundles.map(\.bundleURL) + CommandLine.arguments.prefix(1).map { URL(filePath: $0) }
        for folder in bundles.flatMap({ [$0, $0.deletingLastPathComponent()] }) {
            let candidate = folder.appending(path: "counterfoil")
            if FileManager.default.isExecutableFile(atPath: candidate.path),
                try candidate.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
            {
                return candidate
            }
        }
        throw NotBuilt(description: "no executable counterfoil beside \(bundles.map(\.path))")
    }

    /// Calls `body` with a new folder, and removes the folder afterwards.
    package static func inTemporaryFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "counterfoil-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }
}
