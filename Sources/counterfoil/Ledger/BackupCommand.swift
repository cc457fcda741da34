import ArgumentParser
internal import Basics
import CounterfoilServer
internal import LedgerSQLite

/// `counterfoil ledger backup`: copies the ledger while the server runs.
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
    @Option(
        help: ArgumentHelp("The file to write. It must not exist yet.", valueName: "file"), completion: .file(),
        transform: HomeFolder.path)
    var output: String

    func validate() throws {
        // The copy is checked after it is written.
        guard output != "-" else {
            throw ValidationError(
                "Name a file instead of -: a backup is checked on disk. counterfoil ledger export uses standard output."
            )
        }
    }

    func run() async throws {
        let configuration = try options.load()
        let report = try await ProgressBar.showing { bar in
            let unfinished = LedgerBackup.unfinished(output)
            return try await Signals.removing([unfinished] + LedgerBackup.companions(of: unfinished)) {
                try LedgerBackup.make(of: configuration.storage.path, to: output, unfinished: unfinished) {
                    bar.show($0, "copying")
                }
            }
        }
        try BackupOutput(file: output, report).report("copied", json: options.json)
    }
}

/// `counterfoil ledger restore`: replaces the ledger with a backup.
struct LedgerRestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Check a backup and replace the ledger with it.",
        discussion: """
            Stop the server first. If a ledger exists, --force renames it, together with its -wal, -shm and -journal \
            files, and prints the new names. When the server starts, recovery fetches the notifications sent since the \
            backup, as far back as the App Store keeps them. Everything that apps and your backend reported since then \
            is lost.

            If root runs this command, the ledger gets the owner of the ledger that it replaces, or of its folder.

            EXAMPLES
              counterfoil ledger restore /backup/counterfoil-2026-01-31.sqlite

            Exit status: 0 done; 1 refused or failed, or the ledger has damaged records or texts; 2 wrong usage.
            """)

    @Argument(help: ArgumentHelp("The backup.", valueName: "file"), completion: .file(), transform: HomeFolder.path)
    var file: String
    @OptionGroup var options: LedgerOptions
    @Flag(help: "Rename an existing ledger instead of refusing.") var force = false

    func run() async throws {
        try Input.requireFile(file)
        let configuration = try options.load()
        let path = configuration.storage.path
        let restored = try LedgerBackup.restore(file, to: path, replacing: force)
        try LedgerOwner.changeOwner(of: path, former: restored.old)
        try BackupOutput(file: path, restored.report, movedFiles: restored.movedFiles)
            .report("restored", json: options.json)
    }
}

private struct BackupOutput: Encodable {
    let file: String
    let bytes, notifications: Int
    let digest: String
    /// The number of unreadable records and signed texts.
    let damages: Int
    /// The first of the unreadable records and texts.
    let damaged: [String]
    /// The paths to which the previous ledger and its -wal, -shm and -journal files were moved; nil for a backup.
    let movedFiles: [String]?

    init(file: String, _ report: LedgerBackup.Report, movedFiles: [String]? = nil) {
        self.movedFiles = movedFiles
        (bytes, notifications, digest) = (report.bytes, report.notifications, report.digest)
        (damages, damaged) = (report.damages, report.damaged)
        self.file = file
    }

    /// Prints the report.
    ///
    /// - Throws: ``Refusal`` if records or texts are damaged. The copy or the restore is complete nevertheless.
    func report(_ verb: String, json: Bool) throws {
        if json { Output.line(JSONText.encode(self)) } else { print(verb) }
        guard damages == 0 else {
            throw Refusal(
                code: "ledger_damaged",
                message: "\(file.printable) is \(verb), and \(damages) "
                    + damages.noun("record or text in it is", "records or texts in it are") + " damaged")
        }
    }

    private func print(_ verb: String) {
        let style = Style.current()
        Output.line("\(style.good(verb)) \(file.printable)")
        Output.line("bytes          \(bytes)")
        Output.line("notifications  \(notifications)")
        Output.line("digest         \(digest)")
        for file in movedFiles ?? [] { Output.line("moved the former file to \(file.printable)") }
        for text in damaged { Output.line("\(style.bad("damaged"))  \(text.printable)") }
        if damages > damaged.count { Output.line("and \(damages - damaged.count) more") }
    }
}
