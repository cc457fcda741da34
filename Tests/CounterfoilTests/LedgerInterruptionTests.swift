import Foundation
import LedgerSQLite
import TestSupport
import Testing

@Suite struct `A ledger command interrupted with Ctrl-C` {
    /// Creates a configuration with an empty ledger in a folder. Returns the path of the configuration.
    private static func makeLedger(in folder: URL) throws -> String {
        let config = folder.appending(path: "counterfoil.yaml")
        try Data("apps:\n  - bundle_id: com.example.app\n    apple_id: 1234567890\n".utf8).write(to: config)
        try SQLiteStorage(path: folder.appending(path: "counterfoil.sqlite").path).close()
        return config.path
    }

    /// Starts a command again and again and interrupts it once a file exists whose name ends with `suffix`. A command
    /// may end before it is interrupted. Then the next one is.
    ///
    /// - Parameter prepare: Called before each start.
    /// - Returns: The names of the files in the folder after the command was interrupted.
    private static func names(
        in folder: URL, afterInterrupting arguments: [String], whenSeeing suffix: String,
        prepare: () throws -> Void = {}
    ) async throws -> [String] {
        func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
        var status: Int32 = 0
        while status != 128 + SIGINT {
            try prepare()
            let command = try await RunningCommand(arguments, state: folder)
            try await waitUntil("the command runs") {
                try !command.isRunning || names().contains { $0.hasSuffix(suffix) }
            }
            command.interrupt()
            status = await command.end()
        }
        return try names()
    }

    @Test(.timeLimit(.minutes(10))) func `An interrupted backup leaves no partial files`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let config = try Self.makeLedger(in: folder)
            let ledger = folder.appending(path: "counterfoil.sqlite")
            // Empty pages, which take a while to copy. The header contains their number.
            var bytes = try Data(contentsOf: ledger)
            let (pageSize, pages) = (UInt64(bytes[16]) << 8 | UInt64(bytes[17]), UInt32(16_384))
            bytes.replaceSubrange(28..<32, with: withUnsafeBytes(of: pages.bigEndian) { Data($0) })
            try bytes.write(to: ledger)
            let handle = try FileHandle(forWritingTo: ledger)
            try handle.truncate(atOffset: pageSize * UInt64(pages))
            try handle.close()
            let copy = folder.appending(path: "copy.sqlite")
            let names = try await Self.names(
                in: folder, afterInterrupting: ["ledger", "backup", "--config", config, "--output", copy.path],
                whenSeeing: ".partial"
            ) {
                if FileManager.default.fileExists(atPath: copy.path) { try FileManager.default.removeItem(at: copy) }
            }
            #expect(!names.contains { $0.hasPrefix("copy.sqlite") }, "\(names)")
        }
    }

    @Test(.timeLimit(.minutes(10))) func `An interrupted rebuild removes its scratch file`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let config = try Self.makeLedger(in: folder)
            let names = try await Self.names(
                in: folder, afterInterrupting: ["ledger", "rebuild", "--check", "--config", config],
                whenSeeing: ".rebuild")
            #expect(names.contains("counterfoil.sqlite") && !names.contains { $0.contains(".rebuild") }, "\(names)")
        }
    }
}
