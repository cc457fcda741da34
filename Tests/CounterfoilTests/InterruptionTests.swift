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
}
