import Foundation
import TestSupport
import Testing

/// A time limit of a test only cancels its task. A test that waits for a program has to end then.
@Suite(.timeLimit(.minutes(10))) struct `A test that waits for a program` {
    private static let sleep = URL(filePath: "/bin/sleep")

    @Test func `A wait that is cancelled kills the program`() async throws {
        let program = try await ChildProcess(Self.sleep, ["86400"], environment: [:])
        let waiting = Task { await program.end() }
        waiting.cancel()
        #expect(await waiting.value == 128 + SIGKILL)
    }

    @Test func `A run that is cancelled throws CancellationError`() async throws {
        let running = Task { try await ChildProcess.run(Self.sleep, ["86400"]) }
        running.cancel()
        await #expect(throws: CancellationError.self) { _ = try await running.value }
    }

    /// If the tests crash, programs keep running. `swift test` ends when nothing has its standard error open.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self"), "not on Linux"))
    func `A program does not have the standard error of the tests open`() async throws {
        let program = try await ChildProcess(
            URL(filePath: "/bin/sh"), ["-c", "readlink /proc/$$/fd/2"], environment: ["PATH": "/usr/bin:/bin"])
        let found = await program.lines.first { _ in true }
        let errors = try #require(found)
        #expect(try errors != FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/2"))
        #expect(await program.end() == 0)
    }
}
