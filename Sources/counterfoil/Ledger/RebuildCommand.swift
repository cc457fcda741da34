internal import LedgerSQLite
internal import Ledger
import ArgumentParser
import CounterfoilServer
import Foundation

/// `counterfoil ledger rebuild`: what customers have, folded anew from everything that was signed.
struct RebuildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild",
        abstract: "Fold everything that was signed anew, and prove that the ledger is what follows from it.",
        discussion: """
            Verifies every signature again, folds every notification and everything else that the App Store signed, \
            and compares the result with the ledger, byte for byte. Where they differ the ledger gets the new result, \
            unless --check. The server has to be stopped. It takes room on the disk, about half of the ledger's.

            EXAMPLES
              counterfoil ledger rebuild --config counterfoil.yaml --check

            Exit status: 0 identical, or put right; 1 they differ (--check), something cannot be believed any more, \
            or the ledger cannot be used; 2 wrong usage.
            """)

    @OptionGroup var options: LedgerOptions
    @Flag(help: "Only compare; change nothing.") var check = false

    func run() async throws {
        let configuration = try options.load()
        let report = try await LedgerOptions.withStorageErrors {
            let storage = try LedgerKeeping.open(configuration, isOnlyWriter: true)
            let rebuild = LedgerRebuild(storage, verifier: try LedgerKeeping.verifier(configuration))
            let bar = LedgerProgress("rebuilding")
            defer { bar.end() }
            let report = try await rebuild.run(replacing: !check) { bar.show($0) }
            try storage.close()
            return report
        }
        if options.json { Output.line(JSONText.encode(Answer(report))) } else { print(report) }
        if report.refusals > 0 || report.differences > 0 && !report.isReplaced { throw Refusal(message: nil) }
    }

    private struct Answer: Encodable {
        let identical: Bool
        let replaced: Bool
        let notifications: Int
        let statements: Int
        let facts: Int
        let differences: Int
        let differing: [String]
        let refusals: Int
        let refused: [String]

        init(_ report: LedgerRebuild.Report) {
            (identical, replaced) = (report.isIdentical, report.isReplaced)
            (notifications, statements, facts) = (report.notifications, report.statements, report.facts)
            (differences, differing) = (report.differences, report.differing)
            (refusals, refused) = (report.refusals, report.refused)
        }
    }

    private func print(_ report: LedgerRebuild.Report) {
        let style = Style.current()
        Output.line("notifications  \(report.notifications)")
        Output.line("statements     \(report.statements)")
        Output.line("facts          \(report.facts)")
        for key in report.differing { Output.line("\(style.bad("differs"))  \(key.printable)") }
        for text in report.refused { Output.line("\(style.bad("refused"))  \(text.printable)") }
        let more = report.differences - report.differing.count + report.refusals - report.refused.count
        if more > 0 { Output.line("and \(more) more") }
        if report.isIdentical {
            Output.line("\(style.good("identical")) the ledger is what follows from what was signed")
        } else if report.isReplaced {
            Output.line("\(style.good("replaced")) the ledger is now what follows from what was signed")
        } else {
            Output.line("\(style.bad("different")) nothing was changed")
        }
    }
}
