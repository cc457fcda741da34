import ArgumentParser

/// `counterfoil ledger`: manages the file in which a server stores its data.
struct LedgerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Back up, restore, export, import and rebuild a server's ledger.",
        discussion: """
            EXAMPLES
              counterfoil ledger backup --output /backup/counterfoil-$(date +%F).sqlite
              counterfoil ledger export --config counterfoil.yaml --output ledger.jsonl
              counterfoil ledger rebuild --config counterfoil.yaml --check
            """,
        subcommands: [
            BackupCommand.self, LedgerRestoreCommand.self, ExportCommand.self, LedgerImportCommand.self,
            RebuildCommand.self,
        ])
}
