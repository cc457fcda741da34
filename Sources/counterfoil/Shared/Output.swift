import Foundation

/// Where the command's words go.
enum Output {
    /// Prints a line on standard output.
    static func line(_ text: String = "") {
        write(text + "\n", to: .standardOutput)
    }

    /// Prints a line on standard error.
    static func error(_ text: String) {
        write(text + "\n", to: .standardError)
    }

    private static func write(_ text: String, to handle: FileHandle) {
        do {
            try handle.write(contentsOf: Data(text.utf8))
        } catch {
            // The reader has gone: nobody is left to be told, and the answer's exit status would be a lie.
            Foundation.exit(1)
        }
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

    private func wrap(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

extension String {
    /// The text with what could move a terminal's cursor or change its colours made visible: it comes from outside.
    var printable: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse:
                        Array("\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
                    default: [scalar]
                    }
                }))
    }

    /// The text, filled up with blanks to `width`.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}

extension Date {
    /// `2025-10-06 05:16:25.445 UTC`, the milliseconds only where there are any.
    var readable: String {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        let hasFraction = milliseconds.truncatingRemainder(dividingBy: 1000) != 0
        let style = Date.ISO8601FormatStyle(
            dateSeparator: .dash, dateTimeSeparator: .space, timeSeparator: .colon,
            includingFractionalSeconds: hasFraction,
            timeZone: .gmt)
        return formatted(style.year().month().day().time(includingFractionalSeconds: hasFraction)) + " UTC"
    }
}
