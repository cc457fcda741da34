import CounterfoilServer
import Foundation
import LedgerSQLite
import LedgerServices
import TestSupport
import Testing

@testable import counterfoil

@Suite struct `A ledger command of a stopped service` {
    /// A configuration whose secrets are available only to the running service.
    private static let configuration = """
        account_shared_secrets: [{environment: COUNTERFOIL_TEST_UNSET}]
        apps:
          - bundle_id: com.example.app
            apple_id: 1234567890
            key: {issuer_id: issuer, key_id: ABC123DEFG, private_key: {file: /run/credentials/none.service/key.p8}}
            offers: {key_id: ABC123DEFG, private_key: {file: none.p8}}
            shared_secrets: [{file: none}]
            customer_token_secret: {environment: COUNTERFOIL_TEST_UNSET}
            answer_key: {file: none}
        listen: {tls: {certificate: none.pem, key: none.pem}}
        keys:
          - {name: first, secret: {file: none}, scopes: [all]}
          - {name: app, secret: {file: none}, scopes: ["customers:write"], public: true}
        webhooks: [{name: backend, url: "https://backend.example.com", secrets: [{file: none}]}]
        console: {enabled: true, secret: {file: none}}
        storage: {path: ledger.sqlite}
        """

    private static func write(_ text: String, in folder: URL) throws -> String {
        let file = folder.appending(path: "counterfoil.yaml")
        try Data(text.utf8).write(to: file)
        return file.path
    }

    @Test func `A ledger command reads the configuration without its secrets`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = try Self.write(Self.configuration, in: folder)
            let configuration = try Configurations.load(file, secrets: .omitted).configuration
            #expect(configuration.storage.path == folder.appending(path: "ledger.sqlite").path)
            #expect(configuration.apps.map(\.bundleID) == ["com.example.app"])
            #expect(configuration.apps.map(\.appAppleID) == [1_234_567_890])
            #expect(configuration.keys.isEmpty && configuration.apps[0].key == nil)
        }
    }

    @Test func `Ledger commands work without secrets`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let config = try Self.write(Self.configuration, in: folder)
            try SQLiteStorage(path: folder.appending(path: "ledger.sqlite").path).close()
            let (copy, lines) = (
                folder.appending(path: "copy.sqlite").path, folder.appending(path: "ledger.jsonl").path
            )
            for words in [
                ["backup", "--output", copy], ["restore", copy, "--force"], ["export", "--output", lines],
                ["import", lines], ["rebuild", "--check"],
            ] {
                let outcome = try await Command.run(["ledger"] + words + ["--config", config])
                #expect(outcome.status == 0, "\(words[0]): \(outcome.output)\(outcome.errors)")
            }
        }
    }

    @Test func `A ledger command reports other errors in the configuration with their lines`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let config = try Self.write("lisen: {}\n" + Self.configuration, in: folder)
            let outcome = try await Command.run(["ledger", "rebuild", "--config", config])
            #expect(outcome.status == 1 && outcome.errors.contains("counterfoil.yaml:1: lisen"), "\(outcome.errors)")
        }
    }

    private static func owner(of file: URL) throws -> UInt32? {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        return (attributes[.ownerAccountID] as? NSNumber)?.uint32Value
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives files away"))
    func `A ledger restored by root gets the owner of the former ledger or of the folder`()
        async throws
    {
        try await Tool.inTemporaryFolder { folder in
            let files = ["", ".lock", ".before-restore-1"].map { folder.appending(path: "ledger.sqlite" + $0) }
            for file in files { try Data().write(to: file) }
            // The owner of the folder may have created a link there.
            let stranger = folder.appending(path: "stranger")
            try Data().write(to: stranger)
            try FileManager.default.createSymbolicLink(
                atPath: files[0].path + "-journal", withDestinationPath: stranger.path)
            #expect(chown(folder.path, 65_534, 65_534) == 0)
            // A former ledger owned by root does not count.
            try LedgerOwner.changeOwner(of: files[0].path, former: files[2].path)
            #expect(try files.map { try Self.owner(of: $0) } == [65_534, 65_534, 0])
            #expect(try Self.owner(of: stranger) == 0)

            #expect(chown(files[0].path, 0, 0) == 0 && chown(files[2].path, 65_533, 65_533) == 0)
            try LedgerOwner.changeOwner(of: files[0].path, former: files[2].path)
            #expect(try files.map { try Self.owner(of: $0) } == [65_533, 65_534, 65_533])
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives files away"))
    func `A missing ledger folder is reported as such`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = try Self.write(
                Self.configuration.replacing("path: ledger.sqlite", with: "path: none/ledger.sqlite"), in: folder)
            let export = folder.appending(path: "ledger.jsonl")
            try Data().write(to: export)
            let outcome = try await Command.run(["ledger", "import", export.path, "--config", file])
            #expect(
                outcome.status == 1 && outcome.errors.hasPrefix("refused storage_cannot_open: "), "\(outcome.errors)")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives files away"))
    func `A ledger restored by root can be opened by the service`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let config = try Self.write(Self.configuration, in: folder)
            let ledger = folder.appending(path: "ledger.sqlite")
            let copy = folder.appending(path: "copy.sqlite").path
            try SQLiteStorage(path: ledger.path).close()
            let made = try await Command.run(["ledger", "backup", "--config", config, "--output", copy])
            #expect(made.status == 0, "\(made.errors)")
            #expect(chown(ledger.path, 65_534, 65_534) == 0)
            let restored = try await Command.run(["ledger", "restore", copy, "--force", "--config", config])
            #expect(restored.status == 0, "\(restored.errors)")
            #expect(try Self.owner(of: ledger) == 65_534)
        }
    }
}
