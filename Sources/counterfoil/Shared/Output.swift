import Basics
import CounterfoilServer
import Foundation
internal import WebConsole

/// Writes the command's output. Control characters in the text are escaped, except line breaks, tabs and the colours of
/// ``Style``.
enum Output {
    /// A failed write to standard output.
    struct Failure: Error {
        let reason: String
    }

    /// Prints a line on standard output. Ends the process if the write fails, because the caller would miss the result.
    static func line(_ text: String = "") {
        do { try send(text) } catch { end(after: error) }
    }

    /// Prints a line on standard output. For commands that have to clean up if the write fails.
    static func send(_ text: String) throws(Failure) {
        do { try write(text + "\n", to: .standardOutput) } catch {
            throw Failure(reason: FileFailure.reason(error))
        }
    }

    /// Writes CSV to standard output: byte for byte to a file or a pipe, as printable lines to a terminal. Ends the
    /// process if the write fails.
    static func csv(_ data: Data) {
        guard !data.isEmpty else { return }
        guard isatty(STDOUT_FILENO) != 0 else {
            do { return try FileHandle.standardOutput.write(contentsOf: data) } catch {
                end(after: Failure(reason: FileFailure.reason(error)))
            }
        }
        let text = String(decoding: data, as: UTF8.self).replacing("\r\n", with: "\n")
        line(text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }

    /// Prints a line on standard error.
    static func error(_ text: String) {
        do { try write(text + "\n", to: .standardError) } catch {
            // The failure cannot be reported anywhere.
            Signals.removeTemporary()
            Foundation.exit(1)
        }
    }

    /// Prints an optional line. The command continues if the write fails.
    static func notice(_ text: String, to output: LogOutput) { output.write(Array((text + "\n").terminalSafe.utf8)) }

    /// Ends the process after a failed write and prints the reason, unless the reader of a pipe has closed it.
    static func end(after failure: Failure) -> Never {
        Signals.removeTemporary()
        // A closed pipe is not a refusal. Use the exit status that a shell reports for SIGPIPE, which SwiftNIO ignores.
        if has(POLLERR | POLLHUP, .standardOutput) { Foundation.exit(128 + SIGPIPE) }
        let isReadOnly = fcntl(STDOUT_FILENO, F_GETFL) & (O_WRONLY | O_RDWR) == 0
        let reason = isReadOnly ? "it is closed" : failure.reason
        let refusal = Refusal(code: "not_writable", message: "standard output cannot be written: \(reason)")
        error("\(Style.current(.standardError).bad("refused")) \(refusal.line)")
        Foundation.exit(1)
    }

    /// Opens the null device in place of a closed standard output or standard error. Otherwise the next file or
    /// connection of the process would take its place. The null device is opened for reading, so writes still fail.
    static func occupyClosedDescriptors() {
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
            let null = open("/dev/null", O_RDONLY)
            guard null >= 0, null != descriptor else { continue }
            dup2(null, descriptor)
            close(null)
        }
    }

    private static func write(_ text: String, to handle: FileHandle) throws {
        try handle.write(contentsOf: Data(text.terminalSafe.utf8))
    }

    /// Whether `poll` reports one of the events for the handle, such as `POLLERR` for a pipe without a reader.
    private static func has(_ events: Int32, _ handle: FileHandle) -> Bool {
        var state = pollfd(fd: handle.fileDescriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&state, 1, 0) > 0 && state.revents & Int16(events) != 0
    }
}

/// Colours text for a terminal. Other outputs get plain text.
struct Style {
    private let isColoured: Bool

    /// Returns the style for a terminal or another output.
    static func current(_ handle: FileHandle = .standardOutput) -> Style {
        let isTerminal = isatty(handle.fileDescriptor) == 1
        return Style(isColoured: isTerminal && allowsColour(ProcessInfo.processInfo.environment))
    }

    /// Whether the environment variables of a terminal allow colour: unless `NO_COLOR` is set and not empty, or `TERM`
    /// is `dumb`.
    static func allowsColour(_ environment: [String: String]) -> Bool {
        environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    func good(_ text: String) -> String { wrap(text, "32;1") }
    func bad(_ text: String) -> String { wrap(text, "31;1") }
    func strong(_ text: String) -> String { wrap(text, "1") }
    func faint(_ text: String) -> String { wrap(text, "2") }

    /// The escape sequences that ``wrap(_:_:)`` writes.
    static let sequences = ["32;1", "31;1", "1", "2", "0"].map { "\u{1B}[\($0)m" }

    private func wrap(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

extension String {
    /// The text with unprintable characters escaped as in JSON strings, so that JSON stays valid and equal.
    ///
    /// Line breaks, tabs and the sequences of ``Style`` stay. A carriage return, which JSON allows only between values,
    /// becomes a space.
    var terminalSafe: String {
        if utf8.allSatisfy({ 0x20...0x7E ~= $0 || $0 == 0x0A }) { return self }
        var safe = String.UnicodeScalarView()
        var rest = unicodeScalars[...]
        while let scalar = rest.first {
            if scalar == "\u{1B}", let style = Style.sequences.first(where: { rest.starts(with: $0.unicodeScalars) }) {
                safe += style.unicodeScalars
                rest = rest.dropFirst(style.unicodeScalars.count)
                continue
            }
            rest = rest.dropFirst()
            switch scalar {
            case "\n", "\t": safe.append(scalar)
            case "\r": safe.append(" ")
            case _ where scalar.isUnprintable: safe += scalar.jsonEscape.unicodeScalars
            default: safe.append(scalar)
            }
        }
        return String(safe)
    }

    /// The text with unprintable characters escaped, for text from outside: it could move a terminal's cursor or change
    /// colours.
    var printable: String { escapingUnprintable }

    /// The text as ``printable``, on one line: its lines are joined by `; `.
    var printableLine: String { split(separator: "\n").joined(separator: "; ").printable }

    /// Returns the text padded with spaces to `width` characters.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    /// Returns the text with spaces before it, up to `width` characters.
    func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}

extension Date {
    /// The date to the second, such as `2025-10-06 05:16:25 UTC`. JSON output has milliseconds instead.
    var readable: String { consoleText }
}
