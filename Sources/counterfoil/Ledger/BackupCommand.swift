internal import LedgerSQLite
import ArgumentParser
import CounterfoilServer
import Foundation

/// `counterfoil ledger backup`: a copy of the ledger while the server runs.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the ledger while the server runs, and prove the copy good.",
        discussion: """
            The copy is the ledger of one moment. It is checked page by page and text by text before it gets its name; \
            the digest that is printed identifies it.

            EXAMPLES
              counterfoil ledger backup --output /backup/counterfoil-$(date +%F).sqlite
            """)

    @OptionGroup var options: LedgerOptions
    @Option(help: ArgumentHelp("Where to write it. It must not be there yet.", valueName: "file")) var output: String

    func run() async throws {
        let configuration = try options.load()
        let report = try await LedgerOptions.withStorageErrors {
            let bar = LedgerProgress("copying")
            defer { bar.end() }
            return try LedgerBackup.make(of: configuration.storage.path, to: output) { bar.show($0) }
        }
        BackupAnswer(file: output, report, old: nil).tell("copied", json: options.json)
    }
}

/// `counterfoil ledger restore`: a copy in the ledger's place.
struct LedgerRestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Prove a copy of the ledger good and put it in the ledger's place.",
        discussion: """
            The server has to be stopped. If there is a ledger, --force puts it aside under another name; what lies \
            beside it (-wal, -shm, -journal) goes with it. When the server starts, recovery fetches the notifications \
            that came after the copy was made, as far back as the App Store keeps them; what the app and you told the \
            server since then is not in the copy and does not come back.

            EXAMPLES
              counterfoil ledger restore /backup/counterfoil-2026-01-31.sqlite
            """)

    @Argument(help: ArgumentHelp("The copy.", valueName: "file")) var file: String
    @OptionGroup var options: LedgerOptions
    @Flag(help: "Put a ledger that is there aside.") var force = false

    func run() async throws {
        try Input.requireFile(file)
        let configuration = try options.load()
        let path = configuration.storage.path
        let restored = try await LedgerOptions.withStorageErrors {
            try LedgerBackup.restore(file, to: path, replacing: force)
        }
        BackupAnswer(file: path, restored.report, old: restored.old, aside: restored.aside)
            .tell("restored", json: options.json)
    }
}

private struct BackupAnswer: Encodable {
    let file: String
    let bytes: Int
    let notifications: Int
    let digest: String
    /// Where the ledger is that was there before.
    let old: String?
    /// Where everything is that was there before.
    let aside: [String]?

    init(file: String, _ report: LedgerBackup.Report, old: String?, aside: [String]? = nil) {
        self.aside = aside
        (bytes, notifications, digest) = (report.bytes, report.notifications, report.digest)
        self.file = file
        self.old = old
    }

    func tell(_ verb: String, json: Bool) {
        if json { return Output.line(JSONText.encode(self)) }
        Output.line("\(Style.current().good(verb)) \(file.printable)")
        Output.line("bytes          \(bytes)")
        Output.line("notifications  \(notifications)")
        Output.line("digest         \(digest)")
        for file in aside ?? [] { Output.line("put aside      \(file.printable)") }
    }
}
