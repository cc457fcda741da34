import Foundation
import TestSupport

/// The built command, run as a process.
enum Command {
    typealias Outcome = ChildProcess.Outcome

    /// Runs the command with arguments and standard input, and waits until it has ended.
    static func run(
        _ arguments: [String], stdin: Data = Data(), environment: [String: String] = [:]
    ) async throws -> Outcome {
        try await run(Tool.executable(), arguments, stdin: stdin, environment: environment)
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
