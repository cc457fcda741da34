import ArgumentParser

/// `counterfoil server`: runs the server, manages its configuration, and sends requests to a running server.
struct ServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "Run and manage a server that records what customers own.",
        discussion: """
            EXAMPLES
              counterfoil server init --simulator --output rehearsal.yaml
              counterfoil server check rehearsal.yaml
              counterfoil server run --config rehearsal.yaml
            """,
        subcommands: [
            InitCommand.self, ServerCheckCommand.self, ServerRunCommand.self, KeysCommand.self, ConsoleCommand.self,
            RecoverCommand.self, ImportCommand.self, SegmentsCommand.self, GetCommand.self,
        ])
}
