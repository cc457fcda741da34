import TestSupport
import Testing

@testable import counterfoil

/// Commands had no groups once. Who types what they were called then is served as before.
@Suite struct `Former words` {
    /// What has to be there, whatever the table says.
    private static let all = [
        "backup", "buy", "check-config", "clock", "console", "customers", "do", "export", "fault", "import",
        "import-ledger", "init", "keys", "listen", "rebuild", "recover", "restore-backup", "scenario", "segments",
        "serve",
        "trigger",
    ]

    @Test(arguments: all)
    func `mean the commands of today`(_ word: String) async throws {
        let path = try #require(CommandWords.former[word])
        let help = try await Command.run([word, "--help"])
        #expect(help.status == 0)
        #expect(help.output.contains("USAGE: counterfoil \(path.joined(separator: " "))"), "\(help.output)")
        let asked = try await Command.run(["help", word])
        #expect(asked.output == help.output && asked.status == 0)
    }

    @Test func `are in no help`() async throws {
        let help = try await Command.run(["--help"]).output
        for word in Self.all { #expect(!help.contains("\n  \(word) "), "\(word)") }
        #expect(help.contains("\n  simulator ") && help.contains("\n  server ") && help.contains("\n  ledger "))
    }

    @Test func `take their arguments along`() async throws {
        #expect(
            CommandWords.current(["scenario", "show", "upgrade"]) == ["simulator", "scenario", "show", "upgrade"])
        let former = try await Command.run(["scenario", "show", "upgrade"])
        let current = try await Command.run(["simulator", "scenario", "show", "upgrade"])
        #expect(former.status == 0 && former.output == current.output)
        #expect(try await Command.run(["check-config", "none.yaml", "--json"]).status == 2)
    }

    @Test(arguments: [
        ("verify - --bundle-id a --json", "verify - --app a --json"), ("receipt x --bundle-id=a", "receipt x --app=a"),
        ("sign token --key k.p8 --bundle-id a", "sign token --private-key k.p8 --app a"),
        ("api order M --key k.p8 --key-id K --bundle-id a", "api order M --private-key k.p8 --key-id K --app a"),
        ("console link --key first", "server console link --name first"),
        ("server segments --key key.txt", "server segments --key key.txt"),
    ])
    func `have options that still work`(_ line: String, _ current: String) throws {
        let words = CommandWords.current(line.split(separator: " ").map(String.init))
        #expect(words == current.split(separator: " ").map(String.init))
    }

    @Test func `name the option of today where one is missing`() async throws {
        let outcome = try await Command.run(["sign", "token", "--key", "none.p8", "--key-id", "K", "--bundle-id", "a"])
        #expect(outcome.status == 2 && outcome.errors.contains("--issuer-id"), "\(outcome.errors)")
        let help = try await Command.run(["sign", "token", "--help"]).output
        #expect(help.contains("--private-key <file>") && !help.contains("--key <") && !help.contains("--bundle-id"))
    }

    @Test(arguments: [
        ["verify", "buy"], ["simulator", "restore", "buy"], ["help"], [], ["--version"], ["help", "api"],
    ])
    func `count as words of a command at the beginning only`(_ arguments: [String]) {
        #expect(CommandWords.current(arguments) == arguments)
    }
}

@Suite struct `A misspelt command` {
    @Test(arguments: [
        ("trigge TEST", "simulator trigger"), ("simulator statsu", "simulator status"), ("serv", "server run"),
        ("simulater --port 0", "simulator"), ("snapshot monday", "simulator snapshot"), ("check-confg", "server check"),
        ("server strat", nil), ("server chekc", "server check"), ("ledger bakup", "ledger backup"),
        ("status", "simulator status"), ("quite-another", nil), ("server backup", "ledger backup"),
    ])
    func `is answered with the one that was meant`(_ line: String, _ meant: String?) async throws {
        let outcome = try await Command.run(line.split(separator: " ").map(String.init))
        #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.errors.contains("is not a command."))
        let suggestion = outcome.errors.firstMatch(of: /Did you mean 'counterfoil ([^']+)'\?/).map { String($0.1) }
        #expect(suggestion == meant, "\(outcome.errors)")
    }

    @Test func `is answered in JSON to who asked for it`() async throws {
        let object = try await Command.run(["simulator", "trigge", "TEST", "--json"]).object()
        #expect(object["code"] as? String == "usage")
        #expect(
            object["message"] as? String
                == "'counterfoil simulator trigge' is not a command. Did you mean 'counterfoil simulator trigger'?")
    }

    @Test func `is the reason that is told, not an option behind it`() async throws {
        let object = try await Command.run(["quite-another", "--json"]).object()
        #expect(object["message"] as? String == "'counterfoil quite-another' is not a command.")
    }

    @Test(arguments: [["verify", "a", "b"], ["simulator", "clock", "advance", "soon"], ["simulator", "--prot", "1"]])
    func `is not seen in other mistakes`(_ arguments: [String]) async throws {
        let outcome = try await Command.run(arguments)
        #expect(outcome.status == 2 && !outcome.errors.contains("is not a command"))
    }
}
