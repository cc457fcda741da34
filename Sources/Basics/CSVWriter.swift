/// Writes comma-separated values (RFC 4180) for spreadsheets, protected against formula injection.
///
/// Cells contain untrusted texts such as account names. A spreadsheet reads a cell that begins with `=`, `+`, `-` or
/// `@` as a formula, and ignores a tab or line break before it. Such a cell gets an apostrophe in front, which marks it
/// as text.
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
        let harmless = isFormula(text) ? "'" + text : text
        guard harmless.utf8.contains(where: { special.contains($0) }) else { return harmless }
        return "\"" + harmless.escaping { $0 == "\"" ? "\"\"" : nil } + "\""
    }

    /// The characters that require quotation marks.
    private static let special: Set<UInt8> = [UInt8(ascii: ","), UInt8(ascii: "\""), 0x0D, 0x0A]

    /// Whether a spreadsheet may read a cell as a formula. Some also accept the full-width forms of the signs (U+FF1D
    /// and so on).
    private static func isFormula(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first else { return false }
        return "=+-@\t\r\n\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars.contains(first)
    }
}
