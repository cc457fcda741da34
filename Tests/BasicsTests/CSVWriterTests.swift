import Foundation
import Testing

@testable import Basics

@Suite struct `A table for a spreadsheet` {
    private static func written(_ cells: [String?]) -> String {
        var csv = CSVWriter(columns: ["a"])
        csv.row(cells)
        return String(decoding: csv.bytes.dropFirst(3), as: UTF8.self)
    }

    @Test func `has lines as RFC 4180 has them`() {
        #expect(Self.written(["1", nil, "", "ö"]) == "1,,,ö\r\n")
        #expect(
            Self.written(["a,b", "say \"x\"", "two\nlines", "two\rlines"])
                == "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\"two\rlines\"\r\n")
    }

    @Test(arguments: [
        ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@SUM(A1)", "'@SUM(A1)"), ("\t=1", "'\t=1"),
        ("\r=1", "\"'\r=1\""), ("\n=1", "\"'\n=1\""), ("=HYPERLINK(\"x\",1)", "\"'=HYPERLINK(\"\"x\"\",1)\""),
        ("\u{FF1D}1", "'\u{FF1D}1"), ("=\u{301}1", "'=\u{301}1"), ("\r\n=1", "\"'\r\n=1\""),
    ])
    func `has no formulas`(_ text: String, _ cell: String) {
        #expect(CSVWriter.cell(text).unicodeScalars.elementsEqual(cell.unicodeScalars))
    }

    @Test(arguments: [
        ("\"\u{301},=1+1", "\"\"\"\u{301},=1+1\""), ("a\"\u{200D}b", "\"a\"\"\u{200D}b\""), ("\"", "\"\"\"\""),
    ])
    func `ends no cell at a quotation mark, whatever mark follows it`(_ text: String, _ cell: String) {
        #expect(CSVWriter.cell(text).unicodeScalars.elementsEqual(cell.unicodeScalars))
    }

    @Test(arguments: ["a=1", "1-2", "anna@example.com", "'=1", " "])
    func `leaves everything else as it is`(_ text: String) {
        #expect(CSVWriter.cell(text) == text)
    }
}
