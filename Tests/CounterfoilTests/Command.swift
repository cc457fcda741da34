import Foundation
import TestSupport

/// The built command, run as a process.
enum Command {
    typealias Outcome = ChildProcess.Outcome

    struct NotBuilt: Error, CustomStringConvertible {
        let description: String
    }

    /// The executable, which is beside the test bundle.
    static func executable() throws -> URL {
        let bundles = Bundle.allBundles.map(\.bundleURL) + CommandLine.arguments.prefix(1).map { URL(filePath: $0) }
        for folder in bundles.flatMap({ [$0, $0.deletingLastPathComponent()] }) {
            let candidate = folder.appending(path: "counterfoil")
            if FileManager.default.isExecutableFile(atPath: candidate.path),
                (try? candidate.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
            {
                return candidate
            }
        }
        throw NotBuilt(description: "no executable counterfoil beside \(bundles.map(\.path))")
    }

    /// Runs the command with arguments and standard input, and waits until it has ended.
    static func run(
        _ arguments: [String], stdin: Data = Data(), environment: [String: String] = [:]
    ) async throws -> Outcome {
        try await run(executable(), arguments, stdin: stdin, environment: environment)
    }

    /// Runs any program, in `directory` if given, and waits until it has ended.
    static func run(
        _ executable: URL, _ arguments: [String], stdin: Data = Data(), environment: [String: String] = [:],
        in directory: URL? = nil
    ) async throws -> Outcome {
        try await ChildProcess.run(
            executable, arguments, stdin: stdin,
            environment: environment.merging(["TERM": "xterm-256color"]) { own, _ in own }, in: directory)
    }
}

extension ChildProcess.Outcome {
    /// The output as one JSON object on one line.
    func object() throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
        guard let object = value as? [String: Any], output.hasSuffix("}\n"), output.count(where: { $0 == "\n" }) == 1
        else {
            throw CocoaError(.coderReadCorrupt)
        }
        return object
    }
}
