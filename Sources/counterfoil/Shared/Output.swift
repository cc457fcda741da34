import Basics
import CounterfoilServer
import Foundation

/// Where the command's words go. Nothing but lines, tabs and our own colours reaches a terminal from here, wherever a text
/// comes from.
enum Output {
    /// Standard output cannot be written.
    struct Failure: Error {
        let reason: String
    }

    /// Prints a line on standard output. If that fails the process ends: nobody has the answer that its exit status tells of.
    static func line(_ text: String = "") {
        do { try send(text) } catch { end(after: error) }
    }

    /// Prints a line on standard output, for a command that has to put something in order if that fails.
    static func send(_ text: String) throws(Failure) {
        do { try write(text + "\n", to: .standardOutput) } catch {
            throw Failure(reason: Refusal(unexpected: error).message)
        }
    }

    /// Prints a line on standard error.
    static func error(_ text: String) {
        do { try write(text + "\n", to: .standardError) } catch {
            // Nobody is left to be told.
            Signals.removeTemporary()
            Foundation.exit(1)
        }
    }

    /// Prints a line that nobody has to read: if it cannot be written, the command goes on.
    static func notice(_ text: String, to output: LogOutput) { output.write(Array((text + "\n").terminalSafe.utf8)) }

    /// Ends the process, and says why. Whoever has read enough of a pipe knows.
    static func end(after failure: Failure) -> Never {
        Signals.removeTemporary()
        // What a shell sees of a process that SIGPIPE ends, which networking ignores: nothing was refused.
        if has(POLLERR | POLLHUP, .standardOutput) { Foundation.exit(128 + SIGPIPE) }
        let reason = has(POLLNVAL, .standardOutput) ? "it is closed" : failure.reason
        let refusal = Refusal(code: "not_writable", message: "standard output cannot be written: \(reason)")
        error("\(Style.current(.standardError).bad("refused")) \(refusal.line)")
        Foundation.exit(1)
    }

    private static func write(_ text: String, to handle: FileHandle) throws {
        try handle.write(contentsOf: Data(text.terminalSafe.utf8))
    }

    /// Whether the system says one of these of it, such as that nobody reads a pipe any more, or that it is closed.
    private static func has(_ events: Int32, _ handle: FileHandle) -> Bool {
        var state = pollfd(fd: handle.fileDescriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&state, 1, 0) > 0 && state.revents & Int16(events) != 0
    }
}

/// Colour for people at a terminal; plain text for everything else.
struct Style {
    private let isColoured: Bool

    /// The style that fits what `handle` is connected to. `NO_COLOR` and a dumb terminal are respected.
    static func current(_ handle: FileHandle = .standardOutput) -> Style {
        let environment = ProcessInfo.processInfo.environment
        return Style(
            isColoured: isatty(handle.fileDescriptor) == 1 && environment["NO_COLOR"] == nil
                && environment["TERM"] != "dumb")
    }

    func good(_ text: String) -> String { wrap(text, "32;1") }
    func bad(_ text: String) -> String { wrap(text, "31;1") }
    func strong(_ text: String) -> String { wrap(text, "1") }
    func faint(_ text: String) -> String { wrap(text, "2") }

    /// The sequences that ``wrap(_:_:)`` writes.
    static let sequences = ["32;1", "31;1", "1", "2", "0"].map { "\u{1B}[\($0)m" }

    private func wrap(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

extension String {
    /// Lines as a terminal may get them: what ``printable`` makes visible is escaped as JSON does it, so that JSON stays what
    /// it is. Line breaks, tabs and our own colours pass; a carriage return, which JSON has between values only, is a blank.
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
            case _ where scalar.isUnprintable:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    safe += "\\u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)".unicodeScalars
                }
            default: safe.append(scalar)
            }
        }
        return String(safe)
    }

    /// The text with what could move a terminal's cursor or change its colours made visible: it comes from outside.
    var printable: String { escapingUnprintable }

    /// The same on one line: what has a line for each problem has them one after the other.
    var printableLine: String { split(separator: "\n").joined(separator: "; ").printable }

    /// The text, filled up with blanks to `width`.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}

extension Date {
    /// `2025-10-06 05:16:25 UTC`. JSON has the milliseconds; people are not kept from reading by them.
    var readable: String {
        let style = Date.ISO8601FormatStyle(
            dateSeparator: .dash, dateTimeSeparator: .space, timeSeparator: .colon, timeZone: .gmt)
        // Half a millisecond makes up for what a number of seconds cannot say exactly.
        let second = Date(timeIntervalSince1970: (timeIntervalSince1970 + 0.0005).rounded(.down))
        return second.formatted(style.year().month().day().time(includingFractionalSeconds: false)) + " UTC"
    }
}
