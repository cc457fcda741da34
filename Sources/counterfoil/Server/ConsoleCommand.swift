import ArgumentParser
import CounterfoilServer

/// `counterfoil server console`: manages access to the console.
struct ConsoleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Make sign-in links to a server's console, and list its sessions.",
        discussion: """
            EXAMPLES
              counterfoil server console link --name first
            """,
        subcommands: [ConsoleLinkCommand.self, ConsoleSessionsCommand.self])
}

/// `counterfoil server console link`: makes a link that signs in once.
struct ConsoleLinkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Make a link that signs in once, within two minutes.",
        discussion: """
            Needs console.secret in the configuration, and a clock that agrees with the server's. The session has the \
            scopes of the named key; the key itself is not needed.

            EXAMPLES
              counterfoil server console link --name first
              counterfoil server console link --name first --config counterfoil.yaml --json

            JSON: {"url":…}
            Exit status: 0 done, 1 refused, 2 wrong usage.
            """)

    @Option(
        help: ArgumentHelp("The configuration, YAML. Default: counterfoil.yaml.", valueName: "file"),
        completion: .file(), transform: HomeFolder.path)
    var config: String = "counterfoil.yaml"
    @Option(help: ArgumentHelp("The name of a key with the scope console:open.", valueName: "name")) var name: String
    @Option(help: ArgumentHelp("The server's URL. Default: that of the configuration.", valueName: "url"))
    var url: String?
    @Flag(help: "Print one JSON object.") var json = false

    func run() throws {
        let configuration = try Configurations.load(config).configuration
        let url = try url.map { try ServerURL.checked($0, option: "--url") }
        do throws(ConsoleLink.Refusal) {
            let link = try ConsoleLink.make(configuration, key: name, url: url)
            Output.line(json ? JSONText.encode(["url": link]) : link)
        } catch { throw Refusal(code: error.code, message: error.message.printable) }
    }
}
