import Foundation

/// The built command of the main package, as a process that can be killed.
package final class RunningProcess: Sendable {
    package struct NotStarted: Error, CustomStringConvertible { package let description: String }

    /// The executable, if it exists: `$COUNTERFOIL`, or the result of `swift build` in the parent folder.
    package static let executable: URL? = {
        let named = ProcessInfo.processInfo.environment["COUNTERFOIL"]
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = named.map { URL(fileURLWithPath: $0) } ?? root.appendingPathComponent(".build/debug/counterfoil")
        return FileManager.default.isExecutableFile(atPath: file.path) ? file : nil
    }()

    /// The first line of output.
    package let line: Data
    private let identifier: Int32
    // Kept because a released process does not report its end.
    private let process: Process
    private let end: Task<Void, Never>

    /// Starts the command with `--json`, and returns when it has printed its first line.
    package init(_ arguments: [String], environment: [String: String] = [:], log: URL) async throws {
        guard let executable = Self.executable else { throw NotStarted(description: "run swift build first") }
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments + ["--json"]
        process.environment = environment.merging(["TERM": "dumb", "TMPDIR": NSTemporaryDirectory()]) { old, _ in old }
        process.standardInput = FileHandle.nullDevice
        if !FileManager.default.fileExists(atPath: log.path) {
            _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        }
        let errors = try FileHandle(forWritingTo: log)
        try errors.seekToEnd()
        process.standardError = errors
        let pipe = Pipe()
        process.standardOutput = pipe
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in ended.finish() }
        let (output, printed) = AsyncStream.makeStream(of: Data.self)
        pipe.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            printed.yield(data)
            if data.isEmpty {
                handle.readabilityHandler = nil
                printed.finish()
            }
        }
        try process.run()
        try errors.close()
        identifier = process.processIdentifier
        self.process = process
        end = Task { for await _ in ends {} }
        var line = Data()
        for await data in output {
            line += data
            if line.last == UInt8(ascii: "\n") { break }
        }
        self.line = line
        guard !line.isEmpty else {
            throw NotStarted(description: (try? String(contentsOf: log, encoding: .utf8)) ?? "")
        }
    }

    /// Kills the process, like a power cut.
    package func kill() async {
        _ = Foundation.kill(identifier, SIGKILL)
        await end.value
    }

    /// Terminates the process. Kills it if the task is cancelled, as by the time limit of a test.
    package func stop() async {
        _ = Foundation.kill(identifier, SIGTERM)
        await withTaskCancellationHandler {
            await end.value
        } onCancel: {
            _ = Foundation.kill(identifier, SIGKILL)
        }
    }
}
