internal import Ledger
import ArgumentParser
import CounterfoilServer
import Foundation
import Synchronization

/// Which server's ledger a command is about.
struct LedgerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The server's configuration, YAML.", valueName: "file")) var config = "counterfoil.yaml"
    @Flag(help: "Print one JSON object instead of text.") var json = false

    /// Reads the configuration without its secrets, or prints every problem in it.
    func load() throws -> ServerConfiguration {
        try Configurations.load(config, secrets: .leftOut).configuration
    }

    /// Does something with a ledger and turns its errors into refusals.
    static func withStorageErrors<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let error as StorageError {
            throw Refusal(code: error.code.rawValue, message: error.message.printable)
        }
    }
}

/// A bar on a terminal; nothing elsewhere.
final class LedgerProgress: Sendable {
    private let name: String
    private let shown = Mutex(-1)
    private let isShown = isatty(FileHandle.standardError.fileDescriptor) == 1

    init(_ name: String) { self.name = name }

    /// Shows how much is done, from 0 to 1.
    func show(_ done: Double) {
        guard isShown, done.isFinite else { return }
        let percent = Int(min(max(done, 0), 1) * 100)
        let isNews = shown.withLock { shown in
            defer { shown = percent }
            return shown != percent
        }
        guard isNews else { return }
        let bar = String(repeating: "█", count: percent * 40 / 100)
        write("\(name) \(bar.padded(to: 40)) \(percent) %")
    }

    /// Takes the bar away.
    func end() {
        if isShown { write("") }
    }

    private func write(_ text: String) {
        // Losing this line loses nothing.
        try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K\(text)".utf8))
    }
}
