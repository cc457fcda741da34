import TestSupport
import Testing

@testable import counterfoil

/// The names of commands before they were grouped still work.
@Suite struct `Former command names` {
    /// All former commands, independent of the table under test.
    private static let all = [
        "backup", "buy", "check-config", "clock", "console", "customers", "do", "export", "fault", "import",
        "import-ledger", "init", "keys", "listen", "rebuild", "recover", "restore-backup", "scenario", "segments",
        "serve",
        "trigger",
    ]

    @Test(arguments: all)
    func `A former command runs its present replacement`(_ word: String) async throws {
        let path = try #require(CommandNames.former[word])
        let help = try await Command.run([word, "--help"])
        #expect(help.status == 0)
        #expect(help.output.contains("USAGE: counterfoil \(path.joined(separator: " "))"), "\(help.output)")
        let helpCommand = try await Command.run(["help", word])
        #expect(helpCommand.output == help.output && helpCommand.status == 0)
    }

    @Test func `Former commands are not listed in the help`() async throws {
        let help = try await Command.run(["--help"]).output
        for word in Self.all { #expect(!help.contains("\n  \(word) "), "\(word)") }
        #expect(help.contains("\n  simulator ") && help.contains("\n  server ") && help.contains("\n  ledger "))
    }

    @Test func `A former command passes its arguments on`() async throws {
        #expect(
            CommandNames.current(["scenario", "show", "upgrade"]) == ["simulator", "scenario", "show", "upgrade"])
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
    func `Former options are replaced by the present ones`(_ line: String, _ current: String) throws {
        let words = CommandNames.current(line.split(separator: " ").map(String.init))
        #expect(words == current.split(separator: " ").map(String.init))
    }

    @Test func `An error for a former command names the present options`() async throws {
        let outcome = try await Command.run(["sign", "token", "--key", "none.p8", "--key-id", "K", "--bundle-id", "a"])
        #expect(outcome.status == 2 && outcome.errors.contains("--issuer-id"), "\(outcome.errors)")
        let help = try await Command.run(["sign", "token", "--help"]).output
        #expect(help.contains("--private-key <file>") && !help.contains("--key <") && !help.contains("--bundle-id"))
    }

    @Test(arguments: [
        ["verify", "buy"], ["simulator", "restore", "buy"], ["help"], [], ["--version"], ["help", "api"],
    ])
    func `Former commands are recognized only as the first argument`(_ arguments: [String]) {
        #expect(CommandNames.current(arguments) == arguments)
    }
}

@Suite struct `A misspelt command` {
    @Test(arguments: [
        ("trigge TEST", "simulator trigger"), ("simulator statsu", "simulator status"), ("serv", "server run"),
        ("simulater --port 0", "simulator"), ("snapshot monday", "simulator snapshot"), ("check-confg", "server check"),
        ("server strat", nil), ("server chekc", "server check"), ("ledger bakup", "ledger backup"),
        ("quite-another", nil), ("server backup", "ledger backup"),
    ])
    func `A misspelt command is answered with the intended one`(_ line: String, _ intended: String?) async throws {
        let outcome = try await Command.run(line.split(separator: " ").map(String.init))
        #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.errors.contains("is not a command."))
        let suggestion = outcome.errors.firstMatch(of: /Did you mean 'counterfoil ([^']+)'\?/).map { String($0.1) }
        #expect(suggestion == intended, "\(outcome.errors)")
    }

    @Test(arguments: CommandNames.advice.map { ($0.typed, $0.advice) })
    func `Words that people try instead of a command are answered with advice`(_ typed: [String], _ advice: String)
        throws
    {
        for line in typed {
            // Nil for the name of a command, which its help describes.
            let answer = try #require(CommandNames.misspelling(in: line.split(separator: " ").map(String.init)))
            #expect(answer.message == "'counterfoil \(line)' is not a command. \(advice)")
        }
        let description = try Fixtures.file("Sources/CounterfoilServer/API/openapi.yaml")
        for path in advice.matches(of: /server get (\/v1\/[a-z\/]+)/) {
            #expect(description.contains("\n  \(path.output.1)"), "\(path.output.1)")
        }
    }

    @Test(arguments: [
        ("server status", "`counterfoil server get /v1/operations/health`"),
        ("server start", "`counterfoil server run`"), ("help simulator start", "`counterfoil simulator`"),
        ("ledger check", "`counterfoil ledger rebuild --check`"), ("keys add", "`counterfoil server keys create`"),
        ("simulator purchase", "`counterfoil simulator buy`"), ("version", "--version"),
    ])
    func `Advice names the command that does it`(_ line: String, _ command: String) async throws {
        let outcome = try await Command.run(line.split(separator: " ").map(String.init))
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("is not a command.") && outcome.errors.contains(command), "\(outcome.errors)")
        #expect(!outcome.errors.contains("Did you mean"), "\(outcome.errors)")
    }

    @Test(arguments: [
        ("simulator ask-to-buy", "askToBuy"), ("simulator accept-price", "acceptPrice"),
        ("simulator share", "shareWithFamily"), ("simulator xy", nil), ("server share", nil),
    ])
    func `A command that only do has is answered with its name`(_ line: String, _ name: String?) async throws {
        let errors = try await Command.run(line.split(separator: " ").map(String.init)).errors
        #expect(errors.contains("is not a command."), "\(errors)")
        let hint = errors.firstMatch(of: /`counterfoil simulator do` has the command (\w+)\./).map { String($0.1) }
        #expect(hint == name, "\(errors)")
    }

    @Test(arguments: [
        ("quite-another", "counterfoil"), ("simulator start", "counterfoil simulator"),
        ("simulator clock quite-another", "counterfoil simulator clock"),
    ])
    func `A misspelt command is answered with the help of its group`(_ line: String, _ group: String) async throws {
        let outcome = try await Command.run(line.split(separator: " ").map(String.init))
        #expect(outcome.errors.hasSuffix("  See '\(group) --help' for more information.\n"), "\(outcome.errors)")
    }

    @Test(arguments: ["show", "run"]) func `A misspelt scenario is answered with the intended one`(_ command: String)
        async throws
    {
        let outcome = try await Command.run(["simulator", "scenario", command, "upgrad"])
        #expect(outcome.status == 2 && outcome.errors.contains("; did you mean \"upgrade\"?"), "\(outcome.errors)")
        let other = try await Command.run(["simulator", "scenario", command, "quite-another"])
        #expect(other.status == 2 && other.errors.contains("scenario list lists them"), "\(other.errors)")
    }

    @Test(arguments: [
        (["help", "verfy"], "verify"), (["verfy", "--help"], "verify"),
        (["help", "simulator", "clok"], "simulator clock"),
    ])
    func `Help for a misspelt command is answered with the intended one`(_ arguments: [String], _ intended: String)
        async throws
    {
        let outcome = try await Command.run(arguments)
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("Did you mean 'counterfoil \(intended)'?"), "\(outcome.errors)")
        let known = try await Command.run(["help"] + intended.split(separator: " ").map(String.init))
        #expect(known.status == 0 && known.output.hasPrefix("OVERVIEW: "), "\(known.text)")
    }

    @Test func `A misspelt command is reported in JSON with --json`() async throws {
        let object = try await Command.run(["simulator", "trigge", "TEST", "--json"]).object()
        #expect(object["code"] as? String == "usage")
        #expect(
            object["message"] as? String
                == "'counterfoil simulator trigge' is not a command. Did you mean 'counterfoil simulator trigger'?")
    }

    @Test func `A misspelt command is reported before an unknown option`() async throws {
        let object = try await Command.run(["quite-another", "--json"]).object()
        #expect(object["message"] as? String == "'counterfoil quite-another' is not a command.")
    }

    @Test(arguments: [["verify", "a", "b"], ["simulator", "clock", "advance", "soon"], ["simulator", "--prot", "1"]])
    func `Other errors are not reported as misspelt commands`(_ arguments: [String]) async throws {
        let outcome = try await Command.run(arguments)
        #expect(outcome.status == 2 && !outcome.errors.contains("is not a command"))
    }
}
