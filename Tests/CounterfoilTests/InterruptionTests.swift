import Foundation
import TestSupport
import Testing

@Suite struct `A command that Ctrl-C ends` {
    @Test(.timeLimit(.minutes(5))) func `takes its temporary folder along`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let demo = try await RunningCommand(["demo"], state: folder)
            var ledger: String?
            for await line in demo.lines {
                guard let match = line.firstMatch(of: /ledger in (\S+)/) else { continue }
                ledger = String(match.output.1)
                break
            }
            let place = URL(filePath: try #require(ledger)).deletingLastPathComponent().path
            #expect(FileManager.default.fileExists(atPath: place))
            demo.interrupt()
            #expect(await demo.end() == 128 + SIGINT)
            #expect(!FileManager.default.fileExists(atPath: place))
        }
    }

    @Test(.timeLimit(.minutes(5))) func `takes the folder of a simulator along that is only starting`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let place = folder.appending(path: "temporary").path
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let simulator = try await RunningCommand(["simulator"], state: folder, environment: ["TMPDIR": place])
            // The folder is there long before its keys are.
            while try FileManager.default.contentsOfDirectory(atPath: place).isEmpty {
                try #require(simulator.isRunning)
                await Task.yield()
            }
            simulator.interrupt()
            _ = await simulator.end()
            #expect(try FileManager.default.contentsOfDirectory(atPath: place).isEmpty)
        }
    }
}

@Suite(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "this system has no /dev/full"))
struct `A command whose output cannot be written` {
    @Test(.timeLimit(.minutes(5)), arguments: [["simulator"], ["simulator", "--json"], ["demo", "--customers", "2"]])
    func `says so, and leaves no temporary folder`(_ arguments: [String]) async throws {
        try await Tool.inTemporaryFolder { folder in
            let place = folder.appending(path: "temporary").path
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let outcome = try await Command.run(
                URL(filePath: "/bin/sh"), ["-c", #"exec "$0" "$@" >/dev/full"#, Command.executable().path] + arguments,
                environment: ["TMPDIR": place, "XDG_STATE_HOME": folder.path])
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("not_writable: standard output cannot be written"), "\(outcome.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: place).isEmpty)
        }
    }
}
