import AppStoreServer
import Basics
import Foundation
import TestSupport
import Testing

/// The built command as a running process, whose output is read line by line.
final class RunningCommand: Sendable {
    /// The lines of standard output. The stream finishes when the process ends.
    var lines: AsyncStream<String> { process.lines }
    private let process: ChildProcess

    init(
        _ arguments: [String], state: URL, environment: [String: String] = [:], in directory: URL? = nil
    ) async throws {
        process = try await ChildProcess(
            Tool.executable(), arguments,
            environment: environment.merging(["TERM": "dumb", "XDG_STATE_HOME": state.path]) { $1 }, in: directory)
    }

    /// A line as one JSON object.
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

    /// Waits until the process has ended.
    ///
    /// - Returns: The exit status, or 128 plus the signal number after a crash.
    func end() async -> Int32 { await process.end() }

    /// Calls `body` with the folder and the control URL of a running simulator, and ends the simulator afterwards.
    static func withSimulator<Value>(
        in folder: URL, _ options: [String] = ["--clock", "frozen:2027-03-01T00:00:00Z"],
        _ body: (_ store: URL, _ controlURL: String) async throws -> Value
    ) async throws -> Value {
        let store = folder.appending(path: "store")
        let simulator = try await RunningCommand(
            ["simulator", "--directory", store.path, "--json"] + options, state: folder.appending(path: "state"))
        return try await withCleanup({
            simulator.interrupt()
            #expect(await simulator.end() == 0)
        }) {
            var lines = simulator.lines.makeAsyncIterator()
            let url = try #require(try RunningCommand.object(await lines.next())["controlURL"] as? String)
            try await allowSlowReceivers(of: url)
            return try await body(store, url)
        }
    }

    /// Lets a simulator wait for minutes until a notification is acknowledged. On a busy machine a receiver may need more
    /// than five seconds, and a simulator whose clock is frozen never sends the notification again.
    static func allowSlowReceivers(of controlURL: String) async throws {
        for environment in ["production", "sandbox"] {
            let answer = try await AsyncHTTPClientTransport().send(
                HTTPTransportRequest(
                    method: "PATCH", url: "\(controlURL)/\(environment)/settings",
                    headers: [("Content-Type", "application/json")], body: Data(#"{"deliveryTimeout":600}"#.utf8),
                    timeout: .seconds(600)))
            try #require(answer.status == 200)
        }
    }
}
