import AppStoreServer
import ArgumentParser
import Foundation

/// `counterfoil tour`: shows the libraries at work on generated data and on a folder of genuine data.
struct Tour: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the libraries at work: a local App Store, forgeries, a receipt, timings.",
        discussion: """
            Starts a simulated App Store, simulates months of three customers within a second, and verifies every \
            notification. Then it creates a temporary certificate authority, signs a transaction, verifies it, forges it, \
            validates a receipt and measures the speed against raw cryptography. With a folder it also verifies every .jws \
            file and every receipt (.b64) in it, as of the signing date and against Apple's roots; certificates (.cer, \
            .pem) in it serve as intermediates for old receipts.

            EXAMPLES
              counterfoil tour
              counterfoil tour ~/saved-receipts
            """)

    @Argument(
        help: ArgumentHelp("A folder of JWS files and receipts to verify.", valueName: "folder"),
        completion: .directory, transform: HomeFolder.path)
    var folder: String?

    private var style: Style { Style.current() }

    func run() async throws {
        var isDirectory: ObjCBool = false
        if let folder,
            !FileManager.default.fileExists(atPath: folder, isDirectory: &isDirectory) || !isDirectory.boolValue
        {
            throw ValidationError("\(folder.printable) is not a folder.")
        }
        heading("A local App Store with a clock that you control")
        guard try await TourStore(style: style).run() else {
            throw Refusal(code: "scenario_failed", message: "a scenario above failed")
        }

        let samples = try TourSamples()
        heading("A transaction, signed by a temporary certificate authority")
        let verified = try await samples.verifier.transaction(samples.transaction)
        Output.line("  \(style.good("valid")) \(verified.payload.productId) for \(verified.payload.bundleId)")
        TraceReport.lines(verified.trace, style).forEach { Output.line($0) }

        heading("Forgeries of the transaction, each refused for its own reason")
        for forgery in try samples.forgeries() {
            Output.line("  \(forgery.name.padded(to: 44)) \(await outcome(of: forgery.text, by: samples.verifier))")
        }

        heading("A receipt")
        for line in try samples.receiptLines(style) { Output.line("  \(line)") }

        heading("Speed on one core")
        for line in try await TourTimings.lines(samples) { Output.line("  \(line)") }

        guard let folder else { return }
        heading("Genuine data in \(folder)")
        let table = await TourFolder(path: folder).table(style)
        table.lines.forEach { Output.line("  \($0)") }
        guard table.refused == 0 else {
            throw Refusal(
                code: "verification_failed", message: "\(table.refused) of the files above failed verification")
        }
    }

    private func heading(_ title: String) {
        Output.line()
        Output.line(style.strong(title))
    }

    private func outcome(of text: String, by verifier: SignedDataVerifier) async -> String {
        do {
            _ = try await verifier.transaction(text)
            return style.bad("accepted: this must not happen")
        } catch {
            return style.good("refused") + " \(error.code)"
        }
    }
}
