import ArgumentParser
import ConfigurationReading
import StoreSimulator

/// The names of commands and options: former names, and suggestions for unknown ones.
enum CommandNames {
    /// The former names of commands, from before commands had groups, with the current ones. They still work, but the
    /// help does not show them.
    static let former: [String: [String]] = [
        "buy": ["simulator", "buy"], "clock": ["simulator", "clock"], "customers": ["simulator", "customers"],
        "do": ["simulator", "do"], "fault": ["simulator", "fault"], "listen": ["simulator", "listen"],
        "scenario": ["simulator", "scenario"], "trigger": ["simulator", "trigger"],
        "check-config": ["server", "check"], "console": ["server", "console"], "import": ["server", "import"],
        "init": ["server", "init"], "keys": ["server", "keys"], "recover": ["server", "recover"],
        "segments": ["server", "segments"], "serve": ["server", "run"],
        "backup": ["ledger", "backup"], "export": ["ledger", "export"], "import-ledger": ["ledger", "import"],
        "rebuild": ["ledger", "rebuild"], "restore-backup": ["ledger", "restore"],
    ]

    /// The former names of options, by command, with the current ones. They still work.
    private static let formerOptions: [(command: [String], names: [String: String])] = [
        (["verify"], ["--bundle-id": "--app"]), (["receipt"], ["--bundle-id": "--app"]),
        (["sign"], ["--bundle-id": "--app", "--key": "--private-key"]),
        (["api"], ["--bundle-id": "--app", "--key": "--private-key"]),
        (["server", "console", "link"], ["--key": "--name"]),
    ]

    /// Returns the arguments with former names of commands and options replaced by the current ones.
    static func current(_ arguments: [String]) -> [String] {
        let help = arguments.prefix { $0 == "help" }
        guard let word = arguments.dropFirst(help.count).first, let path = former[word] else {
            return withCurrentOptions(arguments)
        }
        return help + withCurrentOptions(path + arguments.dropFirst(help.count + 1))
    }

    private static func withCurrentOptions(_ arguments: [String]) -> [String] {
        guard let names = formerOptions.first(where: { arguments.starts(with: $0.command) })?.names else {
            return arguments
        }
        return arguments.map { argument in
            let name = String(argument.prefix { $0 != "=" })
            return names[name].map { $0 + argument.dropFirst(name.count) } ?? argument
        }
    }

    /// Returns the usage line of a command and a reference to its help.
    static func usage(of command: any ParsableCommand.Type) -> String {
        let usage = Counterfoil.usageString(for: command)
        // The usage string begins with the command's words; options and placeholders follow.
        let words = usage.split(separator: " ").prefix { $0.first?.isLetter == true }.joined(separator: " ")
        return "Usage: \(usage)\n  See '\(words) --help' for more information."
    }

    /// Returns an error message if the arguments name an unknown command, with a suggestion if a similar one exists,
    /// and the words of the group whose help lists the commands. Nil if the command is known.
    static func misspelling(in arguments: [String]) -> (message: String, group: String)? {
        var (command, path): (any ParsableCommand.Type, [String]) = (Counterfoil.self, [])
        for word in arguments where word != "help" {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty, !word.hasPrefix("-") else { return nil }
            guard let next = subcommands.first(where: { $0._commandName == word }) else {
                let group = (["counterfoil"] + path).joined(separator: " ")
                return (suggestion(for: word, in: command, at: path), group)
            }
            (command, path) = (next, path + [word])
        }
        return nil
    }

    private static func suggestion(
        for word: String, in command: any ParsableCommand.Type, at path: [String]
    ) -> String {
        let words = (path + [word]).joined(separator: " ")
        let typed = "counterfoil \(words)".printable
        if let row = advice.first(where: { $0.typed.contains(words) }) {
            return "'\(typed)' is not a command. \(row.advice)"
        }
        var names: [String: [[String]]] = [:]
        // Prefer commands of the same group.
        for found in paths(below: command, at: path) + paths(below: Counterfoil.self, at: []) {
            names[found[found.count - 1], default: []].append(found)
        }
        for (word, path) in former { names[word, default: []].append(path) }
        guard let name = SpellingSuggestion.nearest(to: word, among: names.keys), let meant = names[name]?.first else {
            return "'\(typed)' is not a command." + storeCommand(for: word, at: path)
        }
        return "'\(typed)' is not a command. Did you mean 'counterfoil \(meant.joined(separator: " "))'?"
    }

    /// Returns a hint at the command of `counterfoil simulator do` that a word begins, such as `ask-to-buy`.
    private static func storeCommand(for word: String, at path: [String]) -> String {
        let start = word.replacing("-", with: "").lowercased()
        guard path == ["simulator"], start.count > 2,
            let name = StoreCommand.names.first(where: { $0.lowercased().hasPrefix(start) })
        else { return "" }
        return " `counterfoil simulator do` has the command \(name)."
    }

    /// Returns the words of every subcommand, level by level.
    private static func paths(below command: any ParsableCommand.Type, at path: [String]) -> [[String]] {
        let subcommands = command.configuration.subcommands
        return subcommands.map { path + [$0._commandName] }
            + subcommands.flatMap { paths(below: $0, at: path + [$0._commandName]) }
    }
}
