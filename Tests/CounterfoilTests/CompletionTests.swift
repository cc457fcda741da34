import Foundation
import TestSupport
import Testing

/// Checks what shells suggest for the next word of a command.
struct CompletionTests {
    @Test(arguments: ["bash", "zsh", "fish"])
    func `Shell completion suggests endpoints, notifications and scenarios`(_ shell: String) async throws {
        let script = try await Command.run(["--generate-completion-script", shell])
        #expect(script.status == 0)
        for word in ["transaction-history", "SUBSCRIBED.INITIAL_BUY", "grace-period-recovered"] {
            #expect(script.output.contains(word), "\(word)")
        }
    }

    /// The list of an argument gets its name. zsh said "bad substitution" to that of `file|name`.
    @Test func `The lists of the zsh script have names that variables can have`() async throws {
        let script = try await Command.run(["--generate-completion-script", "zsh"])
        let names = script.output.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /local -ar ([^=]*)=\(/).map { String($0.output.1) }
        }
        #expect(names.count > 3)
        for name in names { #expect(name.wholeMatch(of: /[A-Za-z0-9_]+/) != nil, "\(name)") }
    }

    @Test(arguments: [
        ("verify", "notification.jws"), ("server run --config", "notification.jws"),
        ("simulator run --directory", "folder"), ("server get", "/v1/operations/health"),
        ("api", "transaction-history"), ("simulator scenario run", "grace-period-recovered"),
        ("simulator scenario run", "mine.yaml"), ("server keys create --scope", "customers:read"),
        ("server segments", "will_not_renew"), ("server recover --type", "EXPIRED.VOLUNTARY"),
    ])
    func `Bash suggests files, folders and the values that an argument can have`(_ line: String, _ word: String)
        async throws
    {
        try await Tool.inTemporaryFolder { folder in
            for file in ["notification.jws", "mine.yaml"] { try Data().write(to: folder.appending(path: file)) }
            try FileManager.default.createDirectory(
                at: folder.appending(path: "folder"), withIntermediateDirectories: false)
            let script = #"""
                source <("$0" --generate-completion-script bash)
                COMP_WORDS=("$@" "")
                COMP_CWORD=$#
                COMP_LINE="$* "
                COMP_POINT=${#COMP_LINE}
                _counterfoil counterfoil "" "${!#}"
                printf '%s\n' "${COMPREPLY[@]}"
                """#
            let words = ["counterfoil"] + line.split(separator: " ").map(String.init)
            let outcome = try await Command.run(
                URL(filePath: "/bin/bash"), ["-c", script, Tool.executable().path] + words,
                environment: ["PATH": "/usr/bin:/bin"], in: folder)
            let suggested = outcome.output.split(separator: "\n").map(String.init)
            #expect(suggested.contains(word), "\(suggested) \(outcome.errors)")
        }
    }

    @Test func `Files and folders are suggested for every option and argument that takes one`() async throws {
        let help = try await Command.run(["--experimental-dump-help"])
        let root = try JSONDecoder().decode(DescribedTool.self, from: Data(help.output.utf8)).command
        var count = 0
        for (path, argument) in root.all {
            let values = argument.valueName?.split(separator: "|") ?? []
            let takesFile = values.contains("file")
            guard takesFile || values.contains("dir") || values.contains("folder") else { continue }
            let expected = values.contains("name") ? "list" : takesFile ? "file" : "directory"
            count += 1
            #expect(argument.completionKind?.keys.contains(expected) == true, "\(path): \(values)")
        }
        #expect(count > 60)
    }
}

/// The commands and their arguments, as `--experimental-dump-help` prints them.
private struct DescribedTool: Decodable {
    let command: DescribedCommand
}

private struct DescribedCommand: Decodable {
    struct Argument: Decodable {
        /// The members of a kind, which the test does not need.
        struct Kind: Decodable {}

        let valueName: String?
        let completionKind: [String: Kind]?
    }

    let commandName: String
    let arguments: [Argument]?
    let subcommands: [DescribedCommand]?

    /// The arguments of the command and of its subcommands, each with the name of its command.
    var all: [(path: String, argument: Argument)] {
        var all = (arguments ?? []).map { (path: commandName, argument: $0) }
        for command in subcommands ?? [] {
            all += command.all.map { (path: "\(commandName) \($0.path)", argument: $0.argument) }
        }
        return all
    }
}
