import Foundation
import TestSupport

/// The built command as a process that goes on, whose lines are read as they come.
final class RunningCommand: Sendable {
    /// What it prints on standard output, line by line; it ends with the process.
    var lines: AsyncStream<String> { process.lines }
    private let process: ChildProcess

    init(
        _ arguments: [String], state: URL, environment: [String: String] = [:], in directory: URL? = nil
    ) async throws {
        process = try await ChildProcess(
            Command.executable(), arguments,
            environment: environment.merging(["TERM": "dumb", "XDG_STATE_HOME": state.path]) { $1 }, in: directory)
    }

    /// The next line as one JSON object.
    static func object(_ line: String?) throws -> [String: Any] {
        guard let line, let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
            throw CocoaError(.coderReadCorrupt)
        }
        return object
    }

    func interrupt() { process.send(SIGINT) }
    var isRunning: Bool { process.isRunning }
    func kill() { process.send(SIGKILL) }
    func terminate() { process.send(SIGTERM) }

    /// Waits for its end.
    ///
    /// - Returns: The exit status; 128 and the signal's number after a crash.
    func end() async -> Int32 { await process.end() }
}
