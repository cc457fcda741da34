internal import LedgerSQLite
import ArgumentParser
import CounterfoilServer
import Foundation

/// `counterfoil ledger backup`: a copy of the ledger while the server runs.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the ledger while the server runs, and check the copy.",
        discussion: """
            The copy is a consistent snapshot. Every page and every signed text in it is checked before the file gets its \
            final name. The printed digest identifies its contents. Damaged records and texts are copied as they are and \
            listed.

            EXAMPLES
              counterfoil ledger backup --output /backup/counterfoil-$(date +%F).sqlite

            Exit status: 0 done; 1 refused or failed, or the copy has damaged records or texts; 2 wrong usage.
            """)

    @OptionGroup var options: LedgerOptions
    @Option(help: ArgumentHelp("The file to write. It must not exist yet.", valueName: "file")) var output: String

    func run() async throws {
        let configuration = try options.load()
        let report = try await LedgerOptions.withStorageErrors {
            let bar = LedgerProgress("copying")
            defer { bar.end() }
            let unfinished = LedgerBackup.unfinished(output)
            return try await Signals.removing([unfinished] + LedgerBackup.companions(of: unfinished)) {
                try LedgerBackup.make(of: configuration.storage.path, to: output, unfinished: unfinished) {
                    bar.show($0)
                }
            }
        }
        try BackupAnswer(file: output, report, old: nil).report("copied", json: options.json)
    }
}

/// `counterfoil ledger restore`: a copy in the ledger's place.
struct LedgerRestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Check a backup and put it in the ledger's place.",
        discussion: """
            Stop the server first. If a ledger exists, --force moves it aside under another name, together with its -wal, \
            -shm and -journal files. When the server starts, recovery fetches the notifications sent since the backup, as \
            far back as the App Store keeps them. What apps and your backend reported since then is lost.

            Restored by root, the ledger belongs to the owner of the one that it replaces, or of its folder.

            EXAMPLES
              counterfoil ledger restore /backup/counterfoil-2026-01-31.sqlite

            Exit status: 0 done; 1 refused or failed, or the ledger has damaged records or texts; 2 wrong usage.
            """)

    @Argument(help: ArgumentHelp("The backup.", valueName: "file")) var file: String
    @OptionGroup var options: LedgerOptions
    @Flag(help: "Move an existing ledger aside.") var force = false

    func run() async throws {
        try Input.requireFile(file)
        let configuration = try options.load()
        let path = configuration.storage.path
        let restored = try await LedgerOptions.withStorageErrors {
            try LedgerBackup.restore(file, to: path, replacing: force)
        }
        try LedgerOwner.handOver(path, former: restored.old)
        try BackupAnswer(file: path, restored.report, old: restored.old, aside: restored.aside)
            .report("restored", json: options.json)
    }
}

private struct BackupAnswer: Encodable {
    let file: String
    let bytes: Int
    let notifications: Int
    let digest: String
    /// How many records and texts cannot be read, and which the first of them are.
    let damages: Int
    let damaged: [String]
    /// Where the previous ledger is now.
    let old: String?
    /// Where the previous ledger and the files beside it are now.
    let aside: [String]?

    init(file: String, _ report: LedgerBackup.Report, old: String?, aside: [String]? = nil) {
        self.aside = aside
        (bytes, notifications, digest) = (report.bytes, report.notifications, report.digest)
        (damages, damaged) = (report.damages, report.damaged)
        self.file = file
        self.old = old
    }

    /// Prints it.
    ///
    /// - Throws: ``Refusal`` where something is damaged: what was to be done is done, and somebody has to see to the ledger.
    func report(_ verb: String, json: Bool) throws {
        if json { Output.line(JSONText.encode(self)) } else { print(verb) }
        guard damages == 0 else {
            throw Refusal(
                code: "ledger_damaged",
                message: "\(file.printable) is \(verb), and \(damages) records or texts in it are damaged")
        }
    }

    private func print(_ verb: String) {
        let style = Style.current()
        Output.line("\(style.good(verb)) \(file.printable)")
        Output.line("bytes          \(bytes)")
        Output.line("notifications  \(notifications)")
        Output.line("digest         \(digest)")
        for file in aside ?? [] { Output.line("put aside      \(file.printable)") }
        for text in damaged { Output.line("\(style.bad("damaged"))  \(text.printable)") }
        if damages > damaged.count { Output.line("and \(damages - damaged.count) more") }
    }
}
