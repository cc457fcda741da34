import Foundation
import LedgerSQLite
import TestSupport
import Testing

@testable import counterfoil

@Suite struct `Paths that begin with a tilde` {
    @Test(arguments: [
        ("~", "/home/anna"), ("~/c.yaml", "/home/anna/c.yaml"), ("--output=~/c.yaml", "--output=/home/anna/c.yaml"),
        ("--output=~", "--output=/home/anna"), ("~ben/c.yaml", "./~ben/c.yaml"),
        ("--output=~ben/c.yaml", "--output=./~ben/c.yaml"), ("~c.yaml", "~c.yaml"), ("./~/c.yaml", "./~/c.yaml"),
        ("a=~/c.yaml", "a=~/c.yaml"), ("--name=a=~/b", "--name=a=~/b"), ("--output=", "--output="), ("", ""),
        ("-", "-"),
    ])
    func `The home folder replaces a tilde where a path begins`(_ argument: String, _ expected: String) {
        #expect(HomeFolder.replacingTilde(in: [argument], home: "/home/anna") == [expected])
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
