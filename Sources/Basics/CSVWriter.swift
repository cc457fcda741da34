internal import Foundation

/// Writes comma-separated values (RFC 4180) that people open in a spreadsheet.
///
/// Cells hold what strangers chose: the names of accounts, for example. A spreadsheet takes a cell for a formula that begins
/// with `=`, `+`, `-` or `@`, and drops a tab or an end of line in front of one. Such a cell gets an apostrophe in front,
/// by which spreadsheets know text.
package struct CSVWriter: Sendable {
    /// What was written, in UTF-8.
    package private(set) var bytes: [UInt8] = []

    /// Begins with the names of the columns.
    package init(columns: [String]) { row(columns) }

    /// A line; nil is an empty cell.
    package mutating func row(_ cells: [String?]) {
        for (index, cell) in cells.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            if let cell { bytes += Self.cell(cell).utf8 }
        }
        bytes += [0x0D, 0x0A]
    }

    /// A cell as it is written: harmless, and in quotation marks where it has to be.
    static func cell(_ text: String) -> String {
        let harmless = isFormula(text) ? "'" + text : text
        guard harmless.utf8.contains(where: { special.contains($0) }) else { return harmless }
        return "\"" + harmless.escaping { $0 == "\"" ? "\"\"" : nil } + "\""
    }

    /// What cannot stand in a cell without quotation marks.
    private static let special: Set<UInt8> = [UInt8(ascii: ","), UInt8(ascii: "\""), 0x0D, 0x0A]

    /// Whether a spreadsheet may take a cell for a formula. Some read the wide forms of the signs as well (U+FF1D and so on).
    private static func isFormula(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first else { return false }
        return "=+-@\t\r\n\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars.contains(first)
    }
}
