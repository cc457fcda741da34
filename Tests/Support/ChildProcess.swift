package import Foundation
import Subprocess
import Synchronization

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// A program that runs beside the tests. Its standard output can be read line by line while it runs.
///
/// It does not use Foundation's `Process`, which in Swift 6.3 reads past the end of directory entries while it lists
/// open files, and crashes tests with more than a thousand of them (swift-corelibs-foundation, pull request 5472).
///
/// A program is killed after half an hour: a test that waits for one that hangs fails then. Programs that still run
/// when the tests end are killed, too.
package final class ChildProcess: Sendable {
    /// The result of a program that has ended.
    package struct Outcome: Sendable {
        /// The exit status, or 128 plus the signal number after a crash.
        package let status: Int32
        package let output: String
        package let errors: String

        /// Both outputs, because programs differ in where they write their result.
        package var text: String { output + errors }
    }

    /// The lines of standard output. The stream finishes when the process ends.
    package let lines: AsyncStream<String>
    /// The process identifier.
    package let identifier: Int32
    private let hasEnded: Mutex<Bool>
    private let status: Task<Int32, Never>

    /// Starts a program, and returns when it runs.
    ///
    /// - Parameter errors: The file to which standard error is appended; nil copies it to that of the tests.
    package init(
        _ executable: URL, _ arguments: [String], environment: [String: String], in directory: URL? = nil,
        errors: URL? = nil
    ) async throws {
        let configuration = Self.configuration(executable, arguments, environment, directory)
        let file =
            if let errors {
                try FileDescriptor.open(
                    FilePath(errors.path), .writeOnly, options: [.create, .append], permissions: .ownerReadWrite)
            } else {
                try Self.pipeToStandardError()
            }
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let (starts, start) = AsyncStream.makeStream(of: Result<Int32, any Error>.self)
        self.lines = lines
        let status = Task {
            defer { line.finish() }
            do {
                var program: RunningProgram?
                defer { program?.end() }
                return try await Subprocess.run(
                    configuration, input: .none, output: .sequence,
                    error: .fileDescriptor(file, closeAfterSpawningProcess: true)
                ) { execution in
                    let identifier = Int32(execution.processIdentifier.value)
                    program = RunningProgram(identifier)
                    start.yield(.success(identifier))
                    for try await text in execution.standardOutput.strings() { line.yield(text) }
                }.terminationStatus.number
            } catch {
                start.yield(.failure(error))
                return -1
            }
        }
        var started: Result<Int32, any Error> = .failure(CancellationError())
        for await result in starts {
            started = result
            break
        }
        do { identifier = try started.get() } catch {
            // The task was cancelled, and the program may run.
            status.cancel()
            throw error
        }
        self.status = status
        hasEnded = Mutex(false)
        Task {
            _ = await status.value
            hasEnded.withLock { $0 = true }
        }
    }

    /// Returns the end of a pipe whose contents are copied to the standard error of the tests.
    ///
    /// A program that inherited that would keep it open if the tests crash or are killed, and `swift test` would wait
    /// for its end.
    private static func pipeToStandardError() throws -> FileDescriptor {
        let pipe = try FileDescriptor.pipe()
        Thread.detachNewThread {
            // Ends with the program, or if the standard error of the tests cannot be written.
            do {
                try pipe.readEnd.closeAfter {
                    var buffer = [UInt8](repeating: 0, count: 1 << 16)
                    while true {
                        let count = try buffer.withUnsafeMutableBytes { try pipe.readEnd.read(into: $0) }
                        guard count > 0 else { return }
                        try FileDescriptor.standardError.writeAll(buffer[..<count])
                    }
                }
            } catch { return }
        }
        return pipe.writeEnd
    }

    package var isRunning: Bool { hasEnded.withLock { !$0 } }

    /// Sends a signal, unless the process has ended.
    package func send(_ signal: Int32) {
        hasEnded.withLock { ended in
            if !ended { _ = kill(identifier, signal) }
        }
    }

    /// Waits until the process has ended. Kills it if the task is cancelled, for example by the time limit of a test.
    ///
    /// - Returns: The exit status, or 128 plus the signal number after a crash.
    package func end() async -> Int32 {
        await withTaskCancellationHandler {
            await status.value
        } onCancel: {
            send(SIGKILL)
        }
    }

    /// Runs a program and waits until it has ended.
    ///
    /// - Throws: `CancellationError` if the task is cancelled. The program is killed then.
    package static func run(
        _ executable: URL, _ arguments: [String], stdin: Data = Data(), environment: [String: String]? = nil,
        in directory: URL? = nil
    ) async throws -> Outcome {
        try await Tool.inTemporaryFolder { folder in
            // A file instead of a pipe: a program that stops reading a pipe would end the tests with SIGPIPE.
            let input = folder.appending(path: "in")
            try stdin.write(to: input)
            var program: RunningProgram?
            defer { program?.end() }
            let result = try await Subprocess.run(
                configuration(executable, arguments, environment, directory),
                input: .fileDescriptor(
                    FileDescriptor.open(FilePath(input.path), .readOnly), closeAfterSpawningProcess: true),
                output: .bytes(limit: 64 << 20), error: .bytes(limit: 64 << 20)
            ) { execution in
                program = RunningProgram(Int32(execution.processIdentifier.value))
            }
            // Otherwise a test that repeats a command until a condition holds would not end at its time limit.
            try Task.checkCancellation()
            return Outcome(
                status: result.terminationStatus.number,
                output: String(decoding: result.standardOutput, as: UTF8.self),
                errors: String(decoding: result.standardError, as: UTF8.self))
        }
    }

    /// The mutant that `Scripts/mutants` has enabled; programs started by tests must run the same one.
    private static let mutant = ProcessInfo.processInfo.environment.filter { $0.key == "MUTANT" }

    private static func configuration(
        _ executable: URL, _ arguments: [String], _ environment: [String: String]?, _ directory: URL?
    ) -> Configuration {
        Configuration(
            executable: .path(FilePath(executable.path)), arguments: Arguments(arguments),
            environment: environment.map { variables in
                let all = variables.merging(mutant) { own, _ in own }
                return .custom(Dictionary(uniqueKeysWithValues: all.map { (.init(stringLiteral: $0), $1) }))
            } ?? .inherit,
            workingDirectory: directory.map { FilePath($0.path) })
    }
}

/// A program to kill if it runs for half an hour, or when the tests end.
private struct RunningProgram: Sendable {
    private let identifier: Int32
    private let limit: Task<Void, Never>

    private static let identifiers = Mutex<Set<Int32>>([])
    /// Registers the handler once.
    private static let killsAtExit: Void = {
        _ = atexit { RunningProgram.identifiers.withLock { for program in $0 { _ = kill(program, SIGKILL) } } }
    }()

    init(_ identifier: Int32) {
        self.identifier = identifier
        _ = Self.killsAtExit
        Self.identifiers.withLock { _ = $0.insert(identifier) }
        limit = Task {
            // A cancelled sleep: the program has ended.
            do { try await Task.sleep(for: .seconds(1800)) } catch { return }
            _ = kill(identifier, SIGKILL)
        }
    }

    /// Called when the program has ended.
    func end() {
        limit.cancel()
        Self.identifiers.withLock { _ = $0.remove(identifier) }
    }
}

extension TerminationStatus {
    /// The exit status, or 128 plus the signal number after a crash.
    fileprivate var number: Int32 {
        switch self {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
    }
}
