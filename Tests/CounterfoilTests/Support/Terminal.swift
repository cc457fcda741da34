import Basics
import Foundation
import TestSupport
import Testing

/// A shell in an empty home, which runs the commands of README, help texts and hints one after the other.
///
/// Only ports are replaced, by ``literal(_:)``.
final class Terminal {
    let home: URL
    private let ports: [String: String]
    /// Variable assignments, which are repeated before every line.
    private var assignments: [String] = []
    private var background: [Background] = []
    /// All commands that were started without waiting for them.
    private var started: [RunningCommand] = []

    /// A running command, and the lines that it printed before it was ready.
    struct Background {
        let command: RunningCommand
        let hints: [String]
    }

    private init(home: URL) throws {
        self.home = home
        // Both ports are in use until both are known, so that they differ.
        let bound = try ["8080", "9000"].map { ($0, try ClosedPort.belowEphemeralRange()) }
        defer { for (_, port) in bound { port.release() } }
        ports = Dictionary(uniqueKeysWithValues: bound.map { ($0, String($1.number)) })
    }

    /// Calls `body` with a new terminal, and ends the commands started in it.
    static func open<Value>(_ body: (Terminal) async throws -> Value) async throws -> Value {
        try await Tool.inTemporaryFolder { folder in
            let terminal = try Terminal(home: folder)
            return try await withCleanup({
                for background in terminal.background.reversed() { await terminal.end(background) }
                // Those that were not ready, or that the test has not ended.
                for command in terminal.started { command.kill() }
            }) { try await body(terminal) }
        }
    }

    /// Returns a text with its ports replaced by free ones. The port of the configuration is set by the environment.
    func literal(_ text: String) -> String {
        ports.reduce(text) {
            $0.replacing(":\($1.key)", with: ":\($1.value)").replacing(" \($1.key)", with: " \($1.value)")
        }
    }

    private var environment: [String: String] {
        [
            "HOME": home.path, "XDG_STATE_HOME": state.path, "COUNTERFOIL_PORT": ports["8080"] ?? "",
            "PATH": ((try? Tool.executable().deletingLastPathComponent().path) ?? "") + ":/usr/bin:/bin",
        ]
    }

    var state: URL { home.appending(path: "state") }

    /// Runs a line and waits until it has ended. A leading `$` and a trailing comment are removed.
    func type(_ line: String) async throws -> Command.Outcome {
        let line = Self.typed(line)
        let script = (assignments + [literal(line)]).joined(separator: "\n")
        if line.wholeMatch(of: /(export )?[A-Z_]+=\S+|[A-Z_]+=\$\(.*\)/) != nil { assignments.append(literal(line)) }
        return try await Command.run(
            URL(filePath: "/bin/bash"), ["-c", script], environment: environment, in: home)
    }

    /// Runs a line and expects it to succeed.
    @discardableResult
    func expect(_ line: String, _ place: SourceLocation = #_sourceLocation) async throws -> String {
        let outcome = try await type(line)
        #expect(outcome.status == 0, "\(line)\n\(outcome.output)\n\(outcome.errors)", sourceLocation: place)
        return outcome.output
    }

    /// Starts a command without waiting for it.
    func begin(_ line: String) async throws -> RunningCommand {
        let words = literal(Self.typed(line)).split(separator: " ").map(String.init)
        let command = try await RunningCommand(
            Array(words.drop { $0 == "counterfoil" }.prefix { $0 != "&" }), state: state, environment: environment,
            in: home)
        started.append(command)
        return command
    }

    /// Starts a command that keeps running: a simulator, a server, a listener. Returns when it is ready.
    @discardableResult
    func start(_ line: String) async throws -> Background {
        let command = try await begin(line)
        var hints: [String] = []
        for await line in command.lines {
            hints.append(line)
            if line.contains("Ctrl-C") { break }
        }
        try #require(hints.last?.contains("Ctrl-C") == true, "\(line) is not ready: \(hints)")
        let running = Background(command: command, hints: hints)
        background.append(running)
        if let control = hints.compactMap({ $0.firstMatch(of: #/^ +control +(http\S+)/#)?.1 }).first {
            try await RunningCommand.allowSlowReceivers(of: String(control))
        }
        return running
    }

    /// Interrupts a running command and expects it to end with status 0.
    func end(_ started: Background) async {
        started.command.interrupt()
        #expect(await started.command.end() == 0)
        background.removeAll { $0.command === started.command }
    }

    /// Whether a line starts a command that keeps running.
    static func keepsRunning(_ line: String) -> Bool {
        let words = typed(line).split(separator: " ")
        guard words.first == "counterfoil", words.count > 1 else { return false }
        let subcommand = words.count == 2 || words[2].hasPrefix("-") || words[2] == "&" ? "run" : words[2]
        return ["simulator run", "simulator listen", "server run"].contains("\(words[1]) \(subcommand)")
    }

    private static func typed(_ line: String) -> String {
        var line = line.trimmingCharacters(in: .whitespaces)[...]
        if line.hasPrefix("$ ") { line = line.dropFirst(2) }
        if let comment = line.range(of: "  #") { line = line[..<comment.lowerBound] }
        return line.trimmingCharacters(in: .whitespaces)
    }
}

/// Extracts commands from texts.
enum Typed {
    /// Commands in hints: indented lines that begin like a command.
    static func hints(_ lines: [String]) -> [String] {
        lines.filter { $0.hasPrefix("  ") }.map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { $0.firstMatch(of: /^(counterfoil |curl |export |[A-Z_]+=)/) != nil }
    }

    /// Commands in the first fenced block of README that contains a text.
    static func readme(containing text: String) throws -> [String] {
        let readme = try Fixtures.file("README.md")
        let blocks = readme.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        let block = try #require(blocks.first { $0.contains(text) })
        return block.split(separator: "\n").map(String.init).filter { $0.hasPrefix("$ ") }
    }

    static func exampleLines(_ help: String) -> [String] {
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let start = lines.firstIndex(of: "EXAMPLES") else { return [] }
        return Array(lines[lines.index(after: start)...].prefix { !$0.isEmpty })
    }

    /// The examples in a help text. A line that ends with a backslash continues on the next line.
    static func examples(_ help: String) -> [String] {
        exampleLines(help).reduce(into: []) { examples, line in
            if let last = examples.last, last.hasSuffix("\\") {
                examples[examples.count - 1] = last.dropLast() + line.trimmingCharacters(in: .whitespaces)
            } else {
                examples.append(line.trimmingCharacters(in: .whitespaces))
            }
        }
    }
}
