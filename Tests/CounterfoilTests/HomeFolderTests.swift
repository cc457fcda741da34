import ArgumentParser
import Foundation
import LedgerSQLite
import TestSupport
import Testing

@testable import counterfoil

@Suite struct `Paths that begin with a tilde` {
    @Test(arguments: [
        ("~", "/home/anna"), ("~/c.yaml", "/home/anna/c.yaml"), ("~ben/c.yaml", "./~ben/c.yaml"),
        ("~c.yaml", "~c.yaml"), ("./~/c.yaml", "./~/c.yaml"), ("a=~/c.yaml", "a=~/c.yaml"), ("", ""), ("-", "-"),
        ("http://localhost/~ben/", "http://localhost/~ben/"),
    ])
    func `The home folder replaces a tilde where a path begins`(_ path: String, _ expected: String) {
        #expect(HomeFolder.replacingTilde(in: path, home: "/home/anna") == expected)
    }

    @Test(arguments: [["--output", "~/copy"], ["--output=~/copy"]])
    func `The tilde is replaced before and after an equals sign`(_ output: [String]) throws {
        let parsed = try Counterfoil.parseAsRoot(["ledger", "backup", "--config", "~ben/c.yaml"] + output)
        let command = try #require(parsed as? BackupCommand)
        #expect(command.output == HomeFolder.current.path + "/copy")
        #expect(command.options.config == "./~ben/c.yaml")
    }

    @Test(arguments: ["~", "~/anna", "~ben/anna"])
    func `A name that begins with a tilde stays as it is`(_ name: String) throws {
        let offer = ["--offer=\(name)", "--sign-by=http://localhost", "--key", "~/key"]
        let parsed = try Counterfoil.parseAsRoot(["simulator", "buy", name, "premium.monthly"] + offer)
        let command = try #require(parsed as? BuyCommand)
        #expect([command.customer, command.offer] == [name, name])
        #expect(command.key == HomeFolder.current.path + "/key")
    }

    /// The command reported the backup, but the file in the home folder was empty. The copy stayed in the folder `~`,
    /// readable by everybody.
    @Test func `A backup to a tilde after an equals sign is in the home folder, also if a folder has that name`()
        async throws
    {
        try await Tool.inTemporaryFolder { home in
            let config = home.appending(path: "counterfoil.yaml")
            try Data("apps:\n  - bundle_id: com.example.app\n    apple_id: 1234567890\n".utf8).write(to: config)
            try SQLiteStorage(path: home.appending(path: "counterfoil.sqlite").path).close()
            let other = home.appending(path: "other/~").path
            try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
            let outcome = try await Command.run(
                Tool.executable(), ["ledger", "backup", "--config=~/counterfoil.yaml", "--output=~/copy.sqlite"],
                environment: ["HOME": home.path], in: home.appending(path: "other"))
            try #require(outcome.status == 0, "\(outcome.text)")
            let copy = home.appending(path: "copy.sqlite").path
            #expect(try outcome.output.contains(LedgerBackup.check(copy).digest), "\(outcome.text)")
            let attributes = try FileManager.default.attributesOfItem(atPath: copy)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: other).isEmpty)
        }
    }
}
