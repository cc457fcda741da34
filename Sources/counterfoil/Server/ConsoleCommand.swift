import ArgumentParser
import CounterfoilServer
import Foundation

/// `counterfoil server console`: the pages of a server.
struct ConsoleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Sign in to the pages of a server.",
        discussion: """
            EXAMPLES
              counterfoil server console link --key first
            """,
        subcommands: [ConsoleLinkCommand.self])
}

/// `counterfoil server console link`: a link that signs in once.
struct ConsoleLinkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Make a link that signs in once, within two minutes.",
        discussion: """
            Needs console.secret in the configuration, and the same clock as the server's machine. The link signs in with \
            what the key may do; the text of the key is not needed.

            JSON: {"url":…}
            Exit status: 0 made, 1 refused, 2 wrong usage.
            """)

    @Option(help: ArgumentHelp("The configuration, YAML.", valueName: "file")) var config = "counterfoil.yaml"
    @Option(help: ArgumentHelp("The name of a key with the scope console:open.", valueName: "name")) var key: String
    @Option(help: ArgumentHelp("Where the server is, instead of the file's.", valueName: "url")) var url: String?
    @Flag(help: "Print one JSON object.") var json = false

    func run() throws {
        let configuration = try Configurations.load(config).configuration
        let link = try Self.link(configuration, key: key, url: url)
        Output.line(json ? JSONText.encode(["url": link]) : link)
    }

    /// The link, or why there is none.
    static func link(_ configuration: ServerConfiguration, key name: String, url: String? = nil) throws -> String {
        do throws(ConsoleLink.Refusal) {
            return try ConsoleLink.make(configuration, key: name, url: url)
        } catch { throw Refusal(message: error.message.printable) }
    }
}
