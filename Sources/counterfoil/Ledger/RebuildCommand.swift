import ArgumentParser
internal import Basics
import CounterfoilServer
internal import LedgerSQLite

/// `counterfoil ledger rebuild`: derives the ledger's state again from its signed data and compares.
struct RebuildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild",
        abstract: "Rebuild the ledger from its signed data and compare.",
        discussion: """
            Stop the server first. Verifies every signature again, processes every notification and all other signed \
            data, and compares the result with the ledger, byte for byte. Without --check it replaces rows that \
            differ, and migrates a ledger of an older version first. Needs about half the ledger's size in free disk \
            space.

            EXAMPLES
              counterfoil ledger rebuild --config counterfoil.yaml --check

            Exit status: 0 identical, or replaced; 1 different (--check), a text failed verification, or the ledger cannot \
            be used; 2 wrong usage.
            """)

    @OptionGroup var options: LedgerOptions
    @Flag(help: "Only compare, change nothing.") var check = false

    func run() async throws {
        let configuration = try options.load()
        let storage = try LedgerMaintenance.openSQLite(configuration, isOnlyWriter: true, migrates: !check)
        let rebuild = LedgerRebuild(storage, verifier: try LedgerMaintenance.verifier(configuration))
        let report = try await ProgressBar.showing { bar in
            try await Signals.removing(rebuild.temporaryFiles) {
                try await rebuild.run(replacing: !check) { bar.show($0, "rebuilding") }
            }
        }
        try storage.close()
        if options.json { Output.line(JSONText.encode(JSONOutput(report))) } else { print(report) }
        guard report.refusals == 0 else {
            let texts = report.refusals.noun(
                "text failed verification or is pending", "texts failed verification or are pending")
            throw Refusal(code: "verification_failed", message: "\(report.refusals) \(texts)")
        }
        guard report.differences == 0 || report.isReplaced else {
            let rows = "\(report.differences) \(report.differences.noun("row differs", "rows differ"))"
            throw Refusal(code: "ledger_differs", message: "\(rows) from the rebuilt ledger")
        }
    }

    private struct JSONOutput: Encodable {
        let identical, replaced: Bool
        let notifications, signedFacts, facts, differences: Int
        let differing: [String]
        let refusals: Int
        let refused: [String]

        init(_ report: LedgerRebuild.Report) {
            (identical, replaced) = (report.isIdentical, report.isReplaced)
            (notifications, signedFacts, facts) = (report.notifications, report.signedFacts, report.facts)
            (differences, differing) = (report.differences, report.differing)
            (refusals, refused) = (report.refusals, report.refused)
        }
    }

    private func print(_ report: LedgerRebuild.Report) {
        let style = Style.current()
        Output.line("notifications  \(report.notifications)")
        Output.line("signed facts   \(report.signedFacts)")
        Output.line("facts          \(report.facts)")
        for key in report.differing { Output.line("\(style.bad("differs"))  \(key.printable)") }
        for text in report.refused { Output.line("\(style.bad("refused"))  \(text.printable)") }
        let more = report.differences - report.differing.count + report.refusals - report.refused.count
        if more > 0 { Output.line("and \(more) more") }
        if report.isIdentical {
            Output.line("\(style.good("identical")) the ledger matches its signed data")
        } else if report.isReplaced {
            Output.line("\(style.good("replaced")) the ledger now matches its signed data")
        } else {
            Output.line("\(style.bad("different")) the ledger was not changed")
        }
    }
}
