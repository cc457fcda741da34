import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// The built server as a process of its own, which can be killed.
final class ServerProcess: Sendable {
    struct NotStarted: Error, CustomStringConvertible { let description: String }

    let url: String
    private let process: Mutex<Process>
    private let end: Task<Int32, Never>

    /// Starts a server. It answers when this returns.
    ///
    /// - Parameter environment: Variables that it sees.
    init(configuration: URL, log: URL, environment: [String: String] = [:]) async throws {
        let process = Process()
        process.executableURL = try Self.executable()
        process.arguments = ["serve", "--config", configuration.path, "--port", "0", "--json"]
        process.environment = environment.merging(["TERM": "dumb"]) { given, _ in given }
        let pipe = Pipe()
        process.standardOutput = pipe
        if !FileManager.default.fileExists(atPath: log.path) {
            _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        }
        let errors = try FileHandle(forWritingTo: log)
        try errors.seekToEnd()
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        let (ends, ended) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            ended.yield((process.terminationReason == .uncaughtSignal ? 128 : 0) + process.terminationStatus)
            ended.finish()
        }
        let (starts, started) = AsyncStream.makeStream(of: Data.self)
        pipe.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty {
                handle.readabilityHandler = nil
                started.finish()
            } else {
                started.yield(data)
            }
        }
        try process.run()
        try errors.close()
        end = Task {
            for await status in ends { return status }
            return -1
        }
        self.process = Mutex(process)
        var line = Data()
        for await data in starts {
            line += data
            if line.last == UInt8(ascii: "\n") { break }
        }
        guard let object = try? JSONSerialization.jsonObject(with: line) as? [String: Any],
            let url = object["url"] as? String
        else {
            throw NotStarted(description: try String(contentsOf: log, encoding: .utf8))
        }
        self.url = url
    }

    /// Ends it as a power cut would, and waits until it is gone.
    func kill() async {
        process.withLock { process in _ = Foundation.kill(process.processIdentifier, SIGKILL) }
        _ = await end.value
    }

    /// Has it read its configuration again.
    func hangUp() { process.withLock { process in _ = Foundation.kill(process.processIdentifier, SIGHUP) } }

    /// Asks it to end.
    ///
    /// - Returns: The exit status; 128 and the signal's number after a crash.
    func stop() async -> Int32 {
        process.withLock { $0.terminate() }
        return await end.value
    }

    /// Hands over a notification; true when it was acknowledged.
    func post(_ signedPayload: String) async throws -> Bool {
        var request = HTTPClientRequest(url: url + "/apple/notifications")
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: "{\"signedPayload\":\"\(signedPayload)\"}"))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
        _ = try await response.body.collect(upTo: 1 << 16)
        return response.status == .ok
    }

    /// The executable lies beside the bundle of the tests.
    static func executable() throws -> URL {
        let bundles = Bundle.allBundles.map(\.bundleURL) + CommandLine.arguments.prefix(1).map { URL(filePath: $0) }
        for folder in bundles.flatMap({ [$0, $0.deletingLastPathComponent()] }) {
            let candidate = folder.appending(path: "counterfoil")
            if FileManager.default.isExecutableFile(atPath: candidate.path),
                try candidate.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
            {
                return candidate
            }
        }
        throw NotStarted(description: "no executable counterfoil beside \(bundles.map(\.path))")
    }

    /// Runs a command of the executable to its end.
    static func run(_ arguments: [String], in folder: URL) async throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = try executable()
        process.arguments = arguments
        process.environment = ["TERM": "dumb"]
        let file = folder.appending(path: UUID().uuidString)
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        let output = try FileHandle(forWritingTo: file)
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        let status = try await withCheckedThrowingContinuation { (done: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { process in
                done.resume(
                    returning: (process.terminationReason == .uncaughtSignal ? 128 : 0) + process.terminationStatus)
            }
            do { try process.run() } catch {
                process.terminationHandler = nil
                done.resume(throwing: error)
            }
        }
        return (status, try String(contentsOf: file, encoding: .utf8))
    }
}
