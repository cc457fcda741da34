import ArgumentParser
internal import Basics
import CounterfoilServer
import Foundation
internal import Ledger
internal import LedgerSQLite

/// `counterfoil ledger export`: writes the ledger as JSON lines.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the ledger as JSON lines: every signed text as received, every claim and grant.",
        discussion: """
            The lines are sorted, so two exports of one ledger are identical; the last line has the count and the ledger's \
            digest. The server may be running. counterfoil ledger import reads the file. An older export is replaced once \
            the new one is complete; any other file is not.

            EXAMPLES
              counterfoil ledger export --config counterfoil.yaml --output ledger.jsonl
              counterfoil ledger export | zstd > ledger.jsonl.zst

            Exit status: 0 done, 1 refused or failed, 2 wrong usage.
            """)

    @OptionGroup var options: LedgerOptions
    @Option(
        help: ArgumentHelp("The file to write. Default: -, standard output.", valueName: "file"),
        completion: .file(), transform: HomeFolder.path)
    var output: String = "-"

    func run() async throws {
        let configuration = try options.load()
        try requireReplaceable()
        let storage = try LedgerMaintenance.openSQLite(configuration, isOnlyWriter: false)
        let result = try await write(storage)
        try storage.close()
        guard output != "-" else { return }
        if options.json { return Output.line(JSONText.encode(JSONOutput(result))) }
        Output.line("\(Style.current().good("exported")) \(output.printable)")
        Output.line("notifications  \(result.count.notifications)")
        Output.line("signed facts   \(result.count.signedFacts)")
        Output.line("claims         \(result.count.claims)")
        Output.line("digest         \(result.digest)")
    }

    private struct JSONOutput: Encodable {
        let notifications, pending, signedFacts, claims: Int
        let digest: String

        init(_ result: (count: LedgerExport.Count, digest: String)) {
            (notifications, pending) = (result.count.notifications, result.count.pending)
            (signedFacts, claims) = (result.count.signedFacts, result.count.claims)
            digest = result.digest
        }
    }

    /// Throws if the file to write exists and is not an export. It may be the ledger itself.
    private func requireReplaceable() throws {
        guard output != "-", AtomicFile.isFile(URL(filePath: output).resolvingSymlinksInPath()) else { return }
        let beginning = Data(LedgerExport.beginning.utf8)
        let found = try Input.read(output, maximumBytes: beginning.count).prefix(beginning.count)
        guard found.isEmpty || found == beginning else {
            throw Refusal(
                code: "file_exists",
                message: "\(output.printable) already exists and is not an export; --output names another file")
        }
    }

    private func write(_ storage: SQLiteStorage) async throws -> (count: LedgerExport.Count, digest: String) {
        guard output != "-" else {
            let handle = FileHandle.standardOutput
            return try await LedgerExport.make(of: storage) { try Self.write($0, to: handle, "standard output") }
        }
        // Only the owner may read the file, because purchases are private. A failed export leaves an existing file
        // unchanged.
        let name = output.printable
        return try await AtomicFile.write(output) { handle in
            try await LedgerExport.make(of: storage) { try Self.write($0, to: handle, name) }
        }
    }

    /// Writes a part of the export. A failed write is reported as a failure of the export file, not of the ledger.
    private static func write(_ part: Data, to handle: FileHandle, _ name: String) throws(StorageError) {
        do { try handle.write(contentsOf: part) } catch {
            throw StorageError(
                FileFailure.isDiskFull(error) ? .full : .failed,
                "\(name) cannot be written: \(FileFailure.reason(error))")
        }
    }
}

/// `counterfoil ledger import`: reads an export and verifies its signatures again.
struct LedgerImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Read an export into the ledger and verify every signature again.",
        discussion: """
            Stop the server first. Existing entries stay, so an import can be repeated; it sends no webhooks. A purchase \
            that a customer claimed after the export stays with that customer. If the ledger was empty, its digest has to \
            equal that in the export. If a record of the ledger is damaged, run counterfoil ledger rebuild first.

            EXAMPLES
              counterfoil ledger import ledger.jsonl --config new.yaml
              zstd -dc ledger.jsonl.zst | counterfoil ledger import -

            Exit status: 0 everything is in the ledger; 1 refused or failed, or a line was refused, the file \
            lacks lines or the digests differ (import_incomplete); 2 wrong usage.
            """)

    @Argument(
        help: ArgumentHelp("The export; - is standard input.", valueName: "file"), completion: .file(),
        transform: HomeFolder.path)
    var file: String
    @OptionGroup var options: LedgerOptions

    func run() async throws {
        if file != "-" { try Input.requireFile(file) }
        let configuration = try options.load()
        let output = try await LedgerOwner.changingOwner(of: configuration.storage.path) {
            try await read(configuration)
        }
        if options.json { Output.line(JSONText.encode(output)) } else { print(output) }
        guard output.complete else {
            throw Refusal(code: "import_incomplete", message: "not everything in \(file.printable) was imported")
        }
    }

    private func read(_ configuration: ServerConfiguration) async throws -> JSONOutput {
        guard let handle = file == "-" ? .standardInput : FileHandle(forReadingAtPath: file) else {
            throw Refusal(code: "not_readable", message: "\(file.printable) cannot be read")
        }
        let storage = try LedgerMaintenance.openSQLite(configuration, isOnlyWriter: true, creating: true)
        let wasEmpty = try await storage.isEmpty()
        let ledgerImport = LedgerImport(
            storage, verifier: try LedgerMaintenance.verifier(configuration),
            scopes: try await storage.scopes(of: configuration.environments),
            at: try await LedgerMaintenance.now(configuration))
        let bar = ProgressBar()
        defer { bar.end() }
        let size = file == "-" ? 0 : try handle.seekToEnd()
        if size > 0 { try handle.seek(toOffset: 0) }
        let report = try await ledgerImport.run(handle) { bytes in
            if size > 0 { bar.show(Double(bytes) / Double(size), "importing") }
        }
        let output = JSONOutput(
            report, digest: try await storage.digest(ofExportVersion: report.version), wasEmpty: wasEmpty)
        try storage.close()
        return output
    }

    private struct JSONOutput: Encodable {
        let notifications, signedFacts, claims, refusals: Int
        let refused: [String]
        let digest: String
        let expectedDigest: String?
        /// Whether lines that the last line counts are missing or were refused.
        let lacksLines: Bool
        /// Whether no line was refused, the file was complete, and the digests agree if the ledger was empty and
        /// nothing in the export was pending.
        let complete: Bool

        init(_ report: LedgerImport.Report, digest: String, wasEmpty: Bool) {
            (notifications, signedFacts, claims) = (report.notifications, report.signedFacts, report.claims)
            (refusals, refused) = (report.refusals, report.refused)
            self.digest = digest
            expectedDigest = report.expectedDigest
            lacksLines = report.lacksLines
            let mustAgree = wasEmpty && !report.hasPending
            let isWhole = refusals == 0 && expectedDigest != nil && !lacksLines
            complete = isWhole && (!mustAgree || expectedDigest == digest)
        }
    }

    private func print(_ output: JSONOutput) {
        let style = Style.current()
        Output.line("notifications  \(output.notifications)")
        Output.line("signed facts   \(output.signedFacts)")
        Output.line("claims         \(output.claims)")
        Output.line("digest         \(output.digest)")
        for text in output.refused { Output.line("\(style.bad("refused"))  \(text.printable)") }
        if output.complete { return Output.line("\(style.good("complete")) everything is in the ledger") }
        if output.expectedDigest == nil {
            Output.line("\(style.bad("incomplete")) the last line is missing: the file is truncated, or not an export")
        }
        if output.refusals > 0 {
            let lines = output.refusals.noun("line was", "lines were")
            Output.line("\(style.bad("incomplete")) \(output.refusals) \(lines) refused")
        } else if output.lacksLines {
            Output.line("\(style.bad("incomplete")) the file lacks lines that its last line counts")
        } else if let expected = output.expectedDigest {
            Output.line("\(style.bad("different")) the export's digest is \(expected.printable)")
        }
    }
}
