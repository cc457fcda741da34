internal import LedgerServices
internal import Ledger
import ArgumentParser
import CounterfoilServer
import Foundation

/// `counterfoil server import`: customers from elsewhere.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Bring in customers: by a transaction or a receipt of each, everything that they bought.",
        discussion: """
            The file has an original transaction identifier or a receipt in base64 on each line, as many as there are. \
            The App Store is asked for each, as fast as its quotas allow. The server must not run on the ledger meanwhile.

            Broken off, it goes on where it was: FILE.progress says where. FILE.failed has a line for each one that \
            failed: its number, a code, the reason. Those that the App Store did not answer, or not with what can be \
            believed, are there as well, and are put aside: the server asks for them again by itself.

            EXAMPLES
              counterfoil server import customers.txt --config counterfoil.yaml
              counterfoil server import receipts.txt --app com.example.app --json

            Exit status: 0 all brought in, 1 some failed or were put aside, or it broke off, 2 wrong usage.
            """)

    @Argument(help: ArgumentHelp("The file.", valueName: "file")) var file: String

    @OptionGroup var options: OfflineOptions

    @Flag(help: "Print one JSON object instead of text.") var json = false

    private struct Report: Encodable {
        let lines: Int
        let failed: Int
        let putAside: Int
        let news: Int
        let failures: String?

        enum CodingKeys: String, CodingKey {
            case lines, failed, news, failures
            case putAside = "put_aside"
        }
    }

    func run() async throws {
        guard FileManager.default.isReadableFile(atPath: file) else {
            throw ValidationError("There is no file \(file), or it cannot be read.")
        }
        let progress = try await options.run { core in
            let work = FileImport(core.importer(try options.scopes(core)), file: URL(filePath: file))
            let (steps, continuation) = AsyncStream.makeStream(
                of: FileImport.Progress.self, bufferingPolicy: .bufferingNewest(1))
            async let shown: Void = Self.show(steps)
            let result: Result<FileImport.Progress, any Error>
            do { result = .success(try await work.run { continuation.yield($0) }) } catch { result = .failure(error) }
            continuation.finish()
            await shown
            do { return try result.get() } catch {
                throw Refusal(
                    message: "\(error.logReason.printable); the same command goes on where this one broke off")
            }
        }
        report(progress)
        if progress.failed + (progress.putAside ?? 0) > 0 { throw Refusal(message: nil) }
    }

    private static func show(_ steps: AsyncStream<FileImport.Progress>) async {
        var bar = ProgressBar()
        for await step in steps {
            bar.show(
                step.size == 0 ? 1 : Double(step.offset) / Double(step.size),
                "\(step.lines) lines, \(step.news) new facts, \(step.failed) failed")
        }
        bar.end()
    }

    private func report(_ progress: FileImport.Progress) {
        let putAside = progress.putAside ?? 0
        let failures = progress.failed + putAside > 0 ? file + ".failed" : nil
        if json {
            return Output.line(
                JSONText.encode(
                    Report(
                        lines: progress.lines, failed: progress.failed, putAside: putAside, news: progress.news,
                        failures: failures)))
        }
        let style = Style.current()
        Output.line("\(style.good("imported")) \(progress.lines) lines, \(progress.news) new facts")
        if let failures {
            if putAside > 0 { Output.line("\(style.bad("put aside")) \(putAside); the server asks for them again") }
            if progress.failed > 0 { Output.line("\(style.bad("failed")) \(progress.failed)") }
            Output.line("\(failures.printable) says which and why")
        }
    }
}
