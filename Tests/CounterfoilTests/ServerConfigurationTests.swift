import Basics
import Foundation
import TestSupport
import Testing

@Suite struct `server init and server check` {
    @Test func `server init writes the configuration once, for its owner only, and prints its key once`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "counterfoil.yaml")
            let written = try await Command.run(["server", "init", "--output", file.path])
            #expect(written.status == 0, "\(written.errors)")
            let key = try #require(written.output.firstMatch(of: /export COUNTERFOIL_KEY=(cfk_[A-Za-z0-9_-]{43})\n/))
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains(key.1) && text.contains("bundle_id: \"com.example.app\""))
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            let again = try await Command.run(["server", "init", "--output", file.path])
            #expect(again.status == 1 && again.errors.contains("--force"))
            #expect(try String(contentsOf: file, encoding: .utf8) == text)
            let forced = try await Command.run(["server", "init", "--force", "--output", file.path])
            #expect(forced.status == 0)
            #expect(try String(contentsOf: file, encoding: .utf8) != text)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["counterfoil.yaml"])
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "this system has no /dev/full"))
    func `A configuration that cannot be written ends with status 1 and prints no key`()
        async throws
    {
        let outcome = try await Command.run(["server", "init", "--force", "--output", "/dev/full"])
        #expect(outcome.status == 1 && outcome.errors.hasPrefix("refused failed: "), "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
    }

    /// With a limit of 48 the server started, and the first connections ended it, because the runtime had no descriptor
    /// left.
    @Test func `A server refuses to start with too low a limit for open files`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "counterfoil.yaml")
            try Data("apps:\n  - bundle_id: com.example.app\n    apple_id: 1234567890\n".utf8).write(to: file)
            let outcome = try await Command.run(
                URL(filePath: "/bin/sh"),
                [
                    "-c", #"ulimit -n 335 && exec "$0" server run --config "$1" --port 0"#, Tool.executable().path,
                    file.path,
                ])
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("failed: the process may open only 335 files"), "\(outcome.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["counterfoil.yaml"])
        }
    }

    @Test func `A server raises the soft limit for open files`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "counterfoil.yaml")
            // A folder cannot be a ledger: the server fails after the check of the limit.
            let text = "apps: [{bundle_id: com.example.app, environments: [Sandbox]}]\nstorage: {path: \".\"}\n"
            try Data(text.utf8).write(to: file)
            let outcome = try await Command.run(
                URL(filePath: "/bin/sh"),
                [
                    "-c", #"ulimit -S -n 100 && exec "$0" server run --config "$1" --port 0"#,
                    Tool.executable().path, file.path,
                ])
            #expect(outcome.status == 1)
            #expect(!outcome.errors.contains("the process may open only"), "\(outcome.errors)")
            #expect(outcome.errors.contains("is a folder"), "\(outcome.errors)")
        }
    }

    /// They were plain text before the lines of the log, also with `format: json`.
    @Test func `server run logs notes on the configuration in the configured format`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "counterfoil.yaml")
            // A folder cannot be a ledger: the server fails after the notes.
            let text = """
                apps: [{bundle_id: com.example.app, environments: [Sandbox], shared_secrets: [hunter2]}]
                storage: {path: "."}
                log: {format: json}
                """
            try Data(text.utf8).write(to: file)
            let outcome = try await Command.run(["server", "run", "--config", file.path, "--port", "0"])
            let lines = outcome.errors.split(separator: "\n").map(String.init)
            #expect(outcome.status == 1 && lines.count > 2, "\(outcome.errors)")
            let notes = try lines.dropLast().map { try RunningCommand.object($0) }
            #expect(notes.allSatisfy { $0["level"] as? String == "notice" })
            let reasons = notes.compactMap { ($0["metadata"] as? [String: String])?["reason"] }
            #expect(reasons.contains { $0.hasPrefix("apps[0].shared_secrets[0]: the secret is in this file") })
        }
    }

    @Test func `server init writes the configuration alone to standard output`() async throws {
        let outcome = try await Command.run(["server", "init", "--output", "-"])
        #expect(outcome.status == 0 && outcome.output.hasPrefix("# The configuration"))
        #expect(!outcome.output.contains("cfk_") && outcome.errors.contains("export COUNTERFOIL_KEY=cfk_"))
    }

    @Test(arguments: [["server", "check"], ["server", "run", "--config"], ["ledger", "export", "--config"]])
    func `Without a configuration, a command names the one that writes it`(_ arguments: [String]) async throws {
        try await Tool.inTemporaryFolder { folder in
            let outcome = try await Command.run(arguments + [folder.appending(path: "none.yaml").path])
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("with: counterfoil server init\n"), "\(outcome.errors)")
        }
    }

    /// A file in a folder that only root may search was reported as missing.
    @Test func `A file that cannot be reached is not reported as missing`() async throws {
        try await Tool.inTemporaryFolder { folder in
            // No file system follows such a path, for root neither.
            let long = folder.appending(path: String(repeating: "a", count: 300)).path
            let config = folder.appending(path: "counterfoil.yaml")
            let app = "apps:\n  - bundle_id: com.example.app\n    apple_id: 1\n"
            try Data("\(app)    customer_token_secret: {file: \(long)}\n".utf8).write(to: config)
            let ledger = folder.appending(path: "ledger.yaml")
            try Data("\(app)storage: {path: \(long)}\n".utf8).write(to: ledger)
            for (arguments, status) in [
                (["server", "check", long], 2), (["server", "check", config.path], 1),
                (["ledger", "export", "--config", ledger.path], 1),
                (["ledger", "backup", "--config", ledger.path, "--output", folder.path + "/copy"], 1),
            ] {
                let outcome = try await Command.run(arguments)
                let text = outcome.output + outcome.errors
                #expect(outcome.status == Int32(status), "\(text)")
                #expect(text.contains("cannot be reached") && !text.contains("does not exist"), "\(text)")
            }
        }
    }

    @Test func `A console link works with a trailing slash in the URL, but not without a scheme`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "counterfoil.yaml")
            let text = """
                apps: [{bundle_id: com.example.app, environments: [Sandbox]}]
                keys: [{name: first, secret: {sha256: \(String(repeating: "0", count: 64))}, scopes: [all]}]
                console: {enabled: true, secret: "a secret of 24 characters"}
                """
            try Data(text.utf8).write(to: file)
            let words = ["server", "console", "link", "--name", "first", "--config", file.path, "--url"]
            let link = try await Command.run(words + ["https://purchases.example.com/"])
            #expect(
                link.output.hasPrefix("https://purchases.example.com/console/sign-in?link="), "\(link.text)")
            let unclear = try await Command.run(words + ["purchases.example.com"])
            #expect(unclear.status == 2 && unclear.errors.contains("--url takes an http or https URL"))
        }
    }

    @Test func `A console link for a public key is refused because of the missing scope`() async throws {
        let zeros = String(repeating: "0", count: 64)
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "counterfoil.yaml")
            let text = """
                apps: [{bundle_id: com.example.app, environments: [Sandbox], customer_token_secret: \(zeros)}]
                keys: [{name: app, secret: {sha256: \(zeros)}, scopes: [customers:read], public: true}]
                console: {enabled: true, secret: "a secret of 24 characters"}
                """
            try Data(text.utf8).write(to: file)
            let link = try await Command.run(["server", "console", "link", "--name", "app", "--config", file.path])
            #expect(link.status == 1 && link.errors.hasPrefix("refused missing_scope: "), "\(link.errors)")
        }
    }
}
