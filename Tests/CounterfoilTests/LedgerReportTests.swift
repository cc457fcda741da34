import Foundation
import TestSupport
import Testing

@Suite struct `The reports of ledger commands` {
    private typealias Report = (status: Int32, objects: [[String: Any]])

    /// Runs a command on a ledger, and returns the JSON objects that it prints.
    private static func run(_ arguments: String...) async throws -> Report {
        let outcome = try await Command.run(["ledger"] + arguments + ["--json"])
        let objects = try outcome.output.split(separator: "\n").map { try RunningCommand.object(String($0)) }
        return (outcome.status, objects)
    }

    /// Calls `body` with the folder and the configuration of a stopped server whose ledger has a notification.
    private static func withLedger(_ body: (URL, URL) async throws -> Void) async throws {
        try await Tool.inTemporaryFolder { folder in
            let config = folder.appending(path: "counterfoil.yaml")
            try await RunningCommand.withSimulator(in: folder) { store, _ in
                for command in [
                    ["simulator", "buy", "anna", "premium.monthly", "--simulator", store.path],
                    ["server", "init", "--simulator", store.path, "--output", config.path],
                    ["server", "recover", "--from", "2027-02-20", "--config", config.path],
                ] {
                    let outcome = try await Command.run(command)
                    try #require(outcome.status == 0, "\(outcome.text)")
                }
                try await body(folder, config)
            }
        }
    }

    @Test func `An import that refuses a line, lacks lines or ends too early is incomplete, and ends with status 1`()
        async throws
    {
        try await Self.withLedger { folder, config in
            let file = folder.appending(path: "export.jsonl")
            let exported = try await Self.run("export", "--output", file.path, "--config", config.path)
            let digest = try #require(exported.objects.first?["digest"] as? String)
            #expect(exported.status == 0 && exported.objects.count == 1)
            #expect(exported.objects.first?["notifications"] as? Int == 1)
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { String($0) }
            let (beginning, end) = (Array(lines.dropLast()), Array(lines.suffix(1)))
            let withoutNotification = lines.filter { !$0.contains(#""object":"notification""#) }
            try #require(withoutNotification.count == lines.count - 1)
            // The ledger is not empty, so its digest says nothing about the file.
            for (written, isComplete, refusals) in [
                (lines, true, 0), (beginning + ["x"] + end, false, 1), (beginning, false, 0),
                (withoutNotification, false, 0),
            ] {
                try Data(written.joined(separator: "\n").utf8).write(to: file)
                let imported = try await Self.run("import", file.path, "--config", config.path)
                let report = try #require(imported.objects.first)
                #expect(imported.status == (isComplete ? 0 : 1) && report["complete"] as? Bool == isComplete)
                #expect(report["refusals"] as? Int == refusals && report["digest"] as? String == digest)
                let codes = imported.objects.dropFirst().map { $0["code"] as? String }
                #expect(codes == Array(repeating: "import_incomplete", count: isComplete ? 0 : 1))
            }
        }
    }

    /// The certificates of the simulator are not Apple's.
    @Test func `A rebuild that cannot verify a text names it, changes nothing and ends with status 1`() async throws {
        try await Self.withLedger { folder, config in
            let sound = try await Self.run("rebuild", "--check", "--config", config.path)
            #expect(sound.status == 0 && sound.objects.count == 1)
            #expect(sound.objects.first?["identical"] as? Bool == true)
            let other = folder.appending(path: "other.yaml")
            let text = try String(contentsOf: config, encoding: .utf8)
            let withoutAnchors = text.replacing("\n  anchors:", with: "\n  #anchors:")
            try #require(withoutAnchors != text)
            try Data(withoutAnchors.utf8).write(to: other)
            for options in [["--check"], []] {
                let outcome = try await Command.run(
                    ["ledger", "rebuild", "--config", other.path, "--json"] + options)
                let objects = try outcome.output.split(separator: "\n").map { try RunningCommand.object(String($0)) }
                let report = try #require(objects.first)
                #expect(outcome.status == 1 && report["refusals"] as? Int == 1)
                #expect(report["identical"] as? Bool == false && report["replaced"] as? Bool == false)
                #expect((report["refused"] as? [String])?.first?.hasSuffix(": untrusted_root") == true)
                #expect(objects.dropFirst().map { $0["code"] as? String } == ["verification_failed"])
            }
            let after = try await Self.run("rebuild", "--check", "--config", config.path)
            #expect(after.objects.first?["identical"] as? Bool == true)
        }
    }

    @Test func `A backup has the digest of the ledger, and a restore replaces a ledger only if forced`() async throws {
        try await Self.withLedger { folder, config in
            let file = folder.appending(path: "backup.sqlite").path
            let made = try await Self.run("backup", "--output", file, "--config", config.path)
            let report = try #require(made.objects.first)
            #expect(made.status == 0 && made.objects.count == 1)
            #expect(report["damages"] as? Int == 0 && report["notifications"] as? Int == 1)
            let again = try await Self.run("backup", "--output", file, "--config", config.path)
            #expect(again.status == 1 && again.objects.map { $0["code"] as? String } == ["file_exists"])
            let refused = try await Self.run("restore", file, "--config", config.path)
            #expect(refused.status == 1 && refused.objects.map { $0["code"] as? String } == ["file_exists"])
            let restored = try await Self.run("restore", file, "--force", "--config", config.path)
            #expect(restored.status == 0 && restored.objects.count == 1)
            #expect(restored.objects.first?["digest"] as? String == report["digest"] as? String)
            let moved = try #require(restored.objects.first?["moved_files"] as? [String])
            #expect(moved.first?.hasSuffix(".before-restore-1") == true)
            #expect(moved.allSatisfy { FileManager.default.fileExists(atPath: $0) })
            #expect(restored.objects.first?["old"] == nil)
        }
    }
}
