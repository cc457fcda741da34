import ArgumentParser
internal import Basics
import CounterfoilServer
import Foundation
internal import Ledger
internal import LedgerServices

/// `counterfoil server import`: imports purchases made before the server was installed.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import customers' purchases from transaction IDs or receipts.",
        discussion: """
            Each line of the file is a customer: any transaction ID, or a receipt in base64. The command requests all \
            purchases of the customer from the App Store, as fast as its quotas allow. Stop the server first.

            FILE.progress records the position: after an interruption the same command continues there, and after \
            lines were appended to FILE it imports only those. After other changes of FILE it imports all lines \
            again, which is harmless. Delete FILE.progress to import all lines again. FILE.failed lists each line \
            that failed, with its number, a code and the reason. If the App Store did not answer, or its answer \
            failed verification, the line is listed there too, and the running server retries it automatically. A \
            receipt without purchases is listed with the code no_purchases and does not count as failed.

            EXAMPLES
              counterfoil server import customers.txt --config counterfoil.yaml
              counterfoil server import receipts.txt --app com.example.app --json

            Exit status: 0 all imported, 1 stopped by an error (import_interrupted), or some lines failed or wait for \
            a retry (import_incomplete), 2 wrong usage.
            """)

    @Argument(
        help: ArgumentHelp("The file with one transaction ID or receipt a line.", valueName: "file"),
        completion: .file(), transform: HomeFolder.path)
    var file: String

    @OptionGroup var options: OfflineOptions

    @Flag(help: "Print one JSON object instead of text.") var json = false

    private struct Report: Encodable {
        let lines, earlierLines, failed, deferred, withoutPurchases, newFacts: Int
        let failures: String?
    }

    func run() async throws {
        // An interrupted import reads the file again, which is impossible with standard input.
        guard file != "-" else {
            throw ValidationError("Name a file instead of -: an interrupted import has to read it again.")
        }
        try Input.requireFile(file)
        guard FileManager.default.isReadableFile(atPath: file) else {
            throw ValidationError("\(file.printable) cannot be read: check its permissions.")
        }
        let progress = try await options.run { core in
            let work = FileImport(
                core.importer(try options.scopes(of: core.recovery)), file: URL(filePath: file),
                ledger: core.configuration.storage.path)
            do {
                return try await ProgressBar.showing { bar in try await work.run { Self.show($0, bar) } }
            } catch {
                throw Refusal(
                    code: "import_interrupted",
                    message: "\(error.logReason.printable); run the same command again to continue from here")
            }
        }
        report(progress)
        let rest = progress.failed + (progress.deferred ?? 0)
        guard rest == 0 else {
            throw Refusal(code: "import_incomplete", message: "\(rest) of \(progress.lines) lines were not imported")
        }
    }

    private static func show(_ progress: FileImport.Progress, _ bar: ProgressBar) {
        bar.show(
            progress.size == 0 ? 1 : Double(progress.offset) / Double(progress.size),
            "\(progress.lines) \(progress.lines.noun("line")), "
                + "\(progress.newFacts) new \(progress.newFacts.noun("fact")), \(progress.failed) failed")
    }

    private func report(_ progress: FileImport.Progress) {
        let deferred = progress.deferred ?? 0
        let withoutPurchases = progress.withoutPurchases ?? 0
        let rest = progress.failed + deferred + withoutPurchases
        let failures = rest > 0 ? file + ".failed" : nil
        if json {
            return Output.line(
                JSONText.encode(
                    Report(
                        lines: progress.lines, earlierLines: progress.earlierLines, failed: progress.failed,
                        deferred: deferred, withoutPurchases: withoutPurchases, newFacts: progress.newFacts,
                        failures: failures)))
        }
        let style = Style.current()
        let lines = rest == 0 ? "\(progress.lines)" : "\(progress.lines - rest) of \(progress.lines)"
        Output.line(
            "\(style.good("imported")) \(lines) \(progress.lines.noun("line")), \(progress.newFacts) new "
                + progress.newFacts.noun("fact"))
        let again = "to try all lines again, delete \("\(file).progress".printable)"
        let isRepeated = progress.lines > 0 && progress.earlierLines == progress.lines
        if isRepeated {
            Output.line("an earlier run processed all lines; this one requested nothing")
        } else if progress.earlierLines > 0 {
            Output.line("continued after line \(progress.earlierLines) of an earlier run")
        }
        if let failures {
            if deferred > 0 {
                Output.line("\(style.bad("not imported yet")) \(deferred); the running server retries them")
            }
            if progress.failed > 0 { Output.line("\(style.bad("failed")) \(progress.failed)") }
            if withoutPurchases > 0 { Output.line("receipts without purchases \(withoutPurchases)") }
            Output.line("\(failures.printable) lists them with the reasons")
        }
        if isRepeated || progress.failed > 0 { Output.line(again) }
    }
}
