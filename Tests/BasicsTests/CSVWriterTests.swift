import Foundation
import Testing

@testable import Basics

@Suite struct `CSV output` {
    private static func written(_ cells: [String?]) -> String {
        var csv = CSVWriter(columns: ["a"])
        csv.row(cells)
        return String(decoding: csv.bytes.dropFirst(3), as: UTF8.self)
    }

    @Test func `CSV rows are quoted as in RFC 4180`() {
        #expect(Self.written(["1", nil, "", "ö"]) == "1,,,ö\r\n")
        #expect(
            Self.written(["a,b", "say \"x\"", "two\nlines", "two\rlines"])
                == "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\"two\rlines\"\r\n")
    }

    @Test(arguments: [
        ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@SUM(A1)", "'@SUM(A1)"), ("\t=1", "\"'\t'=1\""),
        ("\r=1", "\"'\r'=1\""), ("\n=1", "\"'\n'=1\""), ("=HYPERLINK(\"x\",1)", "\"'=HYPERLINK(\"\"x\"\",1)\""),
        ("\u{FF1D}1", "'\u{FF1D}1"), ("=\u{301}1", "'=\u{301}1"), ("\r\n=1", "\"'\r\n'=1\""),
    ])
    func `A CSV cell that a spreadsheet would take for a formula is escaped`(_ text: String, _ cell: String) {
        #expect(CSVWriter.cell(text).unicodeScalars.elementsEqual(cell.unicodeScalars))
    }

    /// Spreadsheets separate cells by semicolons where a comma is the decimal separator. They read `""=1;` as `=1`.
    @Test(arguments: [
        ("a;=1+1", "\"a;'=1+1\""), ("a;b", "\"a;b\""), (";\t@x", "\";'\t'@x\""), ("a\n+1;-1", "\"a\n'+1;'-1\""),
        ("a\";=1;\"", "\"a\"\";'=1;\"\"\""), ("a;\u{FF1D}1", "\"a;'\u{FF1D}1\""), ("a\r\nb", "\"a\r\nb\""),
        ("a\t=1", "\"a\t'=1\""), ("a;\"=1+1;", "\"a;\"\"'=1+1;\""), ("a;\"\"-1", "\"a;\"\"\"\"'-1\""),
    ])
    func `A formula in a CSV cell after a separator or line break is escaped`(_ text: String, _ cell: String) {
        #expect(CSVWriter.cell(text).unicodeScalars.elementsEqual(cell.unicodeScalars))
    }

    @Test(arguments: [
        ("\"\u{301},=1+1", "\"\"\"\u{301},=1+1\""), ("a\"\u{200D}b", "\"a\"\"\u{200D}b\""), ("\"", "\"\"\"\""),
    ])
    func `A quotation mark in a CSV cell is doubled even if a combining mark follows`(_ text: String, _ cell: String) {
        #expect(CSVWriter.cell(text).unicodeScalars.elementsEqual(cell.unicodeScalars))
    }

    @Test(arguments: ["a=1", "1-2", "anna@example.com", "'=1", " "])
    func `Harmless CSV cells are unchanged`(_ text: String) {
        #expect(CSVWriter.cell(text) == text)
    }
}
