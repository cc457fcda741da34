import Crypto
import Foundation
import LedgerSQLite
import TestSupport
import Testing

@testable import counterfoil

@Suite struct `An atomically written file` {
    private struct Broken: Error {}

    @Test func `A file is replaced only after the new one is complete`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "ledger.jsonl")
            try Data("good".utf8).write(to: file)
            await #expect(throws: Broken.self) {
                try await AtomicFile.write(file.path) { handle -> Void in
                    try handle.write(contentsOf: Data("half".utf8))
                    throw Broken()
                }
            }
            #expect(try String(contentsOf: file, encoding: .utf8) == "good")
            try await AtomicFile.write(file.path) { handle in try handle.write(contentsOf: Data("new".utf8)) }
            #expect(try String(contentsOf: file, encoding: .utf8) == "new")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["ledger.jsonl"])
        }
    }

    @Test func `A file is replaced at the target of a symbolic link`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let (file, link) = (folder.appending(path: "ledger.jsonl"), folder.appending(path: "newest"))
            try Data("old".utf8).write(to: file)
            try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: file.path)
            try await AtomicFile.write(link.path) { handle in try handle.write(contentsOf: Data("new".utf8)) }
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
            #expect(try String(contentsOf: file, encoding: .utf8) == "new")
        }
    }
}

@Suite struct `A command on the ledger of a stopped server` {
    private static let configuration = "apps:\n  - bundle_id: com.example.app\n    apple_id: 1234567890\n"

    /// The import failed because the digests differed: a ledger without notifications counted as empty.
    @Test func `An import into a ledger that has only claims does not compare the digests`() async throws {
        try await Tool.inTemporaryFolder { folder in
            var configs: [String] = []
            for name in ["anna", "ben", "empty"] {
                let config = folder.appending(path: "\(name).yaml")
                try Data("\(Self.configuration)storage: {path: \(name).sqlite}\n".utf8).write(to: config)
                configs.append(config.path)
            }
            // These exports lack their last lines, so the imports fail after storing the claims.
            for (number, (name, config)) in zip(["anna", "ben"], configs).enumerated() {
                let file = folder.appending(path: "\(name).jsonl")
                let lines = [
                    #"{"object":"ledger_export","version":3}"#,
                    #"{"object":"claim","bundle_id":"com.example.app","environment":"Production","#
                        + #""original_transaction_id":"\#(number)","customer":"\#(name)","kind":"link","claimed_at":1}"#,
                ]
                try Data(lines.joined(separator: "\n").utf8).write(to: file)
                let outcome = try await Command.run(["ledger", "import", file.path, "--config", config])
                #expect(outcome.status == 1 && outcome.output.contains("the last line is missing"))
            }
            let export = folder.appending(path: "export.jsonl").path
            let exported = try await Command.run(["ledger", "export", "--output", export, "--config", configs[0]])
            try #require(exported.status == 0 && exported.output.contains("claims         1"), "\(exported.errors)")
            for config in configs {
                let outcome = try await Command.run(["ledger", "import", export, "--config", config])
                #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            }
        }
    }

    @Test func `An export replaces an older one, readable only by its owner`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let config = folder.appending(path: "counterfoil.yaml")
            let output = folder.appending(path: "ledger.jsonl")
            try Data(Self.configuration.utf8).write(to: config)
            try Data("{\"object\":\"ledger_export\",\"version\":2}\n".utf8).write(to: output)
            try SQLiteStorage(path: folder.appending(path: "counterfoil.sqlite").path).close()
            let exported = try await Command.run([
                "ledger", "export", "--config", config.path, "--output", output.path,
            ])
            #expect(exported.status == 0, "\(exported.errors)")
            let text = try String(contentsOf: output, encoding: .utf8)
            #expect(text.hasPrefix(#"{"object":"ledger_export","version":3"#))
            let attributes = try FileManager.default.attributesOfItem(atPath: output.path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        }
    }

    @Test(arguments: ["counterfoil.sqlite", "counterfoil.yaml", "link"])
    func `An export replaces neither the ledger nor its configuration`(_ name: String) async throws {
        try await Tool.inTemporaryFolder { folder in
            let config = folder.appending(path: "counterfoil.yaml")
            let ledger = folder.appending(path: "counterfoil.sqlite")
            let output = folder.appending(path: name)
            try Data(Self.configuration.utf8).write(to: config)
            try SQLiteStorage(path: ledger.path).close()
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: "link"), withDestinationURL: ledger)
            let before = try Data(contentsOf: output)
            let outcome = try await Command.run([
                "ledger", "export", "--config", config.path, "--output", output.path,
            ])
            #expect(outcome.status == 1 && outcome.errors.hasPrefix("refused file_exists: "), "\(outcome.text)")
            #expect(try !before.isEmpty && Data(contentsOf: output) == before)
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "this system has no /dev/full"))
    func `A full disk is reported for the export, not for the ledger`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let config = folder.appending(path: "counterfoil.yaml")
            try Data(Self.configuration.utf8).write(to: config)
            try SQLiteStorage(path: folder.appending(path: "counterfoil.sqlite").path).close()
            let outcome = try await Command.run([
                "ledger", "export", "--config", config.path, "--output", "/dev/full",
            ])
            #expect(outcome.status == 1, "\(outcome.errors)")
            #expect(
                outcome.errors.contains("storage_full: /dev/full cannot be written: the disk is full"),
                "\(outcome.errors)")
            #expect(!outcome.errors.contains("counterfoil.sqlite"))
        }
    }

    @Test func `A file that is no export is not only called truncated, and a missing folder is asked about`()
        async throws
    {
        try await Tool.inTemporaryFolder { folder in
            let config = folder.appending(path: "counterfoil.yaml")
            let customers = folder.appending(path: "customers.txt")
            try Data(Self.configuration.utf8).write(to: config)
            try Data("340001000000468\n".utf8).write(to: customers)
            let imported = try await Command.run(["ledger", "import", customers.path, "--config", config.path])
            #expect(imported.status == 1 && imported.output.contains("or not an export"), "\(imported.text)")
            let output = folder.appending(path: "missing/ledger.jsonl").path
            let exported = try await Command.run(["ledger", "export", "--config", config.path, "--output", output])
            #expect(exported.status == 1, "\(exported.text)")
            #expect(exported.errors.contains("cannot be written: does its folder exist"), "\(exported.text)")
        }
    }

    @Test(arguments: [("recover", true), ("import", false)])
    func `A running server is reported with options that the command has`(_ name: String, _ takesURL: Bool)
        async throws
    {
        try await Tool.inTemporaryFolder { folder in
            let config = folder.appending(path: "counterfoil.yaml")
            let customers = folder.appending(path: "customers.txt")
            try Data(Self.configuration.utf8).write(to: config)
            try Data("1\n".utf8).write(to: customers)
            let server = try SQLiteStorage(path: folder.appending(path: "counterfoil.sqlite").path)
            let file = name == "import" ? [customers.path] : []
            let outcome = try await Command.run(["server", name] + file + ["--config", config.path])
            try server.close()
            #expect(outcome.status == 1 && outcome.errors.hasPrefix("refused storage_busy: "), "\(outcome.errors)")
            #expect(outcome.errors.contains("--url, --key and --from") == takesURL, "\(outcome.errors)")
        }
    }

    /// The code was `no_ledger` for every reason, also that another server uses the ledger.
    @Test func `A server that cannot open its ledger says why with the code that other commands have`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let config = folder.appending(path: "counterfoil.yaml")
            let ledger = folder.appending(path: "counterfoil.sqlite")
            try Data(Self.configuration.utf8).write(to: config)
            let command = ["server", "run", "--config", config.path, "--port", "0", "--json"]
            let other = try SQLiteStorage(path: ledger.path)
            let inUse = try await Command.run(command)
            try other.close()
            #expect(inUse.status == 1, "\(inUse.text)")
            #expect(try inUse.object()["code"] as? String == "storage_busy", "\(inUse.text)")
            try Data("no ledger".utf8).write(to: ledger)
            let noLedger = try await Command.run(command)
            #expect(noLedger.status == 1, "\(noLedger.text)")
            #expect(try noLedger.object()["code"] as? String == "storage_not_a_ledger", "\(noLedger.text)")
        }
    }

    @Test func `An import of a file that was imported before says that it did nothing`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let config = folder.appending(path: "counterfoil.yaml")
            let customers = folder.appending(path: "customers.txt")
            let key = folder.appending(path: "key.p8")
            try Data(P256.Signing.PrivateKey().pemRepresentation.utf8).write(to: key)
            let setting = "    key: {issuer_id: issuer, key_id: ABC123DEFG, private_key: {file: key.p8}}\n"
            try Data((Self.configuration + setting).utf8).write(to: config)
            try Data("no number\n".utf8).write(to: customers)
            let command = ["server", "import", customers.path, "--config", config.path]
            let first = try await Command.run(command)
            #expect(first.status == 1 && !first.output.contains("an earlier run"), "\(first.text)")
            let second = try await Command.run(command)
            #expect(second.status == 1, "\(second.text)")
            #expect(second.output.contains("an earlier run processed all lines"), "\(second.text)")
            #expect(second.output.contains("delete \(customers.path).progress"), "\(second.text)")
            try Data("no number\nneither\n".utf8).write(to: customers)
            let third = try await Command.run(command)
            #expect(third.output.contains("continued after line 1 of an earlier run"), "\(third.text)")
            let json = try await Command.run(command + ["--json"])
            #expect(json.output.contains(#""earlier_lines":2"#), "\(json.text)")
        }
    }

    @Test(arguments: ["recover", "import"])
    func `A simulator clock that does not answer is reported with a code`(_ name: String) async throws {
        try await Tool.inTemporaryFolder { folder in
            let config = folder.appending(path: "counterfoil.yaml")
            let customers = folder.appending(path: "customers.txt")
            try Data("clock: \"http://127.0.0.1:1\"\n\(Self.configuration)".utf8).write(to: config)
            try Data("1\n".utf8).write(to: customers)
            let file = name == "import" ? [customers.path] : []
            let outcome = try await Command.run(["server", name] + file + ["--config", config.path, "--json"])
            let object = try outcome.object()
            #expect(outcome.status == 1 && object["code"] as? String == "no_clock", "\(outcome.errors)")
        }
    }
}
