/// Writes comma-separated values (RFC 4180) for spreadsheets, protected against formula injection.
///
/// Cells contain untrusted texts such as account names. A spreadsheet reads a cell that begins with `=`, `+`, `-` or
/// `@` as a formula, and ignores a tab or line break before it. An apostrophe before the sign marks the cell as text.
///
/// Where a comma is the decimal separator, spreadsheets separate cells by semicolons instead; others separate them by
/// tabs. Then a cell also begins after a separator or line break within a text, because quotation marks count only at
/// the beginning of a cell.
package struct CSVWriter: Sendable {
    /// The output in UTF-8.
    package private(set) var bytes: [UInt8] = []

    /// Creates a writer and writes the names of the columns.
    package init(columns: [String]) { row(columns) }

    /// Writes a row. Nil is an empty cell.
    package mutating func row(_ cells: [String?]) {
        for (index, cell) in cells.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            if let cell { bytes += Self.cell(cell).utf8 }
        }
        bytes += [0x0D, 0x0A]
    }

    /// Returns the text of a cell, protected against formulas, and quoted if necessary.
    static func cell(_ text: String) -> String {
        let harmless = withoutFormulas(text)
        guard harmless.utf8.contains(where: { special.contains($0) }) else { return harmless }
        return "\"" + harmless.escaping { $0 == "\"" ? "\"\"" : nil } + "\""
    }

    /// The characters that require quotation marks. Some spreadsheets separate cells by semicolons and tabs too.
    private static let special = Set(",;\"\t\r\n".utf8)

    /// The characters with which a formula may begin. Some spreadsheets accept the full-width forms (U+FF1D and so on).
    private static let signs = Set("=+-@\t\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars)
    private static let lineBreaks = Set("\r\n".unicodeScalars)
    private static let separators = Set(";\t\r\n".unicodeScalars)

    /// Returns the text with an apostrophe wherever a spreadsheet might see the beginning of a formula.
    private static func withoutFormulas(_ text: String) -> String {
        var mayBegin = true
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            let isLeadingBreak = result.isEmpty && lineBreaks.contains(scalar)
            if mayBegin && signs.contains(scalar) || isLeadingBreak { result += "'" }
            // A doubled quotation mark at the beginning of a cell is an empty quoted text; a formula may follow it.
            mayBegin = separators.contains(scalar) || mayBegin && scalar == "\""
            result.unicodeScalars.append(scalar)
        }
    }
}
