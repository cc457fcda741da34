import Foundation
import Synchronization

/// The built command as a process that goes on, whose lines are read as they come.
final class RunningCommand: Sendable {
    /// What it prints on standard output, line by line; it ends with the process.
    let lines: AsyncStream<String>
    private let process: Mutex<Process>
    private let status: Task<Int32, Never>

    init(
        _ arguments: [String], state: URL, environment: [String: String] = [:], in directory: URL? = nil
    ) throws {
        let process = Process()
        process.executableURL = try Command.executable()
        process.arguments = arguments
        process.environment = environment.merging(["TERM": "dumb", "XDG_STATE_HOME": state.path]) { $1 }
        if let directory { process.currentDirectoryURL = directory }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.standardError
        process.standardInput = FileHandle.nullDevice
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let rest = Mutex(Data())
        pipe.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            guard !data.isEmpty else {
                handle.readabilityHandler = nil
                continuation.finish()
                return
            }
            rest.withLock { rest in
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[rest.index(after: end)...])
                }
            }
        }
        let (ends, ended) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            ended.yield((process.terminationReason == .uncaughtSignal ? 128 : 0) + process.terminationStatus)
            ended.finish()
        }
        try process.run()
        self.lines = lines
        self.process = Mutex(process)
        status = Task {
            for await status in ends { return status }
            return -1
        }
    }

    /// The next line as one JSON object.
    static func object(_ line: String?) throws -> [String: Any] {
        guard let line, let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
            throw CocoaError(.coderReadCorrupt)
        }
        return object
    }

    func interrupt() { process.withLock { $0.interrupt() } }
    var isRunning: Bool { process.withLock { $0.isRunning } }
    func kill() { process.withLock { _ = Foundation.kill($0.processIdentifier, SIGKILL) } }
    func terminate() { process.withLock { $0.terminate() } }

    /// Waits for its end.
    ///
    /// - Returns: The exit status; 128 and the signal's number after a crash.
    func end() async -> Int32 { await status.value }
}
