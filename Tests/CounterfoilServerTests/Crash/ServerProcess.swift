import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport

/// Runs the built server as a child process that can be killed.
final class ServerProcess: Sendable {
    struct NotStarted: Error, CustomStringConvertible { let description: String }

    let url: String
    private let process: ChildProcess

    /// Does not retry to connect. By default a request to a server that was just killed waits for minutes.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(configuration: configuration)
    }()

    /// Starts a server and returns when it accepts requests. It is killed at the latest when this object is released,
    /// so that a failing test leaves no server.
    ///
    /// - Parameter environment: Environment variables of the process.
    init(configuration: URL, log: URL, environment: [String: String] = [:]) async throws {
        let process = try await ChildProcess(
            Tool.executable(), ["server", "run", "--config", configuration.path, "--port", "0", "--json"],
            environment: environment.merging(["TERM": "dumb"]) { given, _ in given }, errors: log)
        let url: String
        do { url = try await Self.url(of: process, log) } catch {
            process.send(SIGKILL)
            throw error
        }
        (self.url, self.process) = (url, process)
    }

    deinit { process.send(SIGKILL) }

    /// Returns the URL that a started server prints.
    private static func url(of process: ChildProcess, _ log: URL) async throws -> String {
        let lines = process.lines
        let line = try await waitForEnd("the server prints its URL") { await lines.first { _ in true } ?? "" }
        guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
            let url = object["url"] as? String
        else { throw NotStarted(description: try String(contentsOf: log, encoding: .utf8)) }
        return url
    }

    /// Sends SIGKILL and waits for the end of the process.
    func kill() async {
        process.send(SIGKILL)
        _ = await process.end()
    }

    /// Sends SIGHUP, on which the server reloads its configuration.
    func hangUp() { process.send(SIGHUP) }

    /// Sends SIGTERM and waits for the end of the process.
    ///
    /// - Returns: The exit status, or 128 plus the signal's number after a crash.
    func stop() async -> Int32 {
        process.send(SIGTERM)
        return await process.end()
    }

    /// Posts a notification. Returns whether the server acknowledged it.
    func post(_ signedPayload: String) async throws -> Bool {
        var request = HTTPClientRequest(url: url + "/apple/notifications")
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: "{\"signedPayload\":\"\(signedPayload)\"}"))
        let response = try await Self.client.execute(request, timeout: .seconds(600))
        _ = try await response.body.collect(upTo: 1 << 16)
        return response.status == .ok
    }

    /// Runs the executable with arguments until it ends.
    static func run(
        _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> ChildProcess.Outcome {
        try await ChildProcess.run(
            Tool.executable(), arguments, environment: environment.merging(["TERM": "dumb"]) { given, _ in given })
    }
}
