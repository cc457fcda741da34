import Foundation
import TestSupport
import Testing

/// The fuzzers are built with sanitizers, which takes too long for every run. This notices what would keep one from running.
@Suite struct `Every fuzz target` {
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Fixtures.package.appending(path: path), encoding: .utf8)
    }

    /// The table of `Fuzz/run`: target, largest input, dictionary, genuine data.
    private static func rows() throws -> [[String]] {
        let table = try #require(try text("Fuzz/run").firstMatch(of: /targets="([^"]+)"/)).1
        let rows = table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        try #require(rows.count > 15 && Set(rows.map(\.count)) == [4])
        return rows
    }

    private static func targets() throws -> [String] { try rows().map { $0[0] } }

    @Test func `has an entry point, and every entry point a target`() throws {
        let points = try Self.text("Fuzz/Driver/driver.c").matches(of: /ENTRY_POINT\(fuzz_(\w+)\)/)
        #expect(
            points.map { String($0.1).replacing("_", with: "-") }.sorted() == (try Self.targets().sorted()),
            "Fuzz/Driver/driver.c and Fuzz/run name the same targets")
    }

    @Test func `is a product of the package with a harness`() throws {
        let products = try Self.text("Package.swift").matches(of: /harness\("([a-z0-9-]+)", "(\w+)"/)
        #expect(products.map { String($0.1) }.sorted() == (try Self.targets().sorted()))
        for product in products {
            let harness = try Self.text("Fuzz/\(product.2)/\(product.2).swift")
            #expect(harness.contains(#"@_cdecl("LLVMFuzzerTestOneInput")"#), "\(product.2)")
        }
    }

    @Test func `has seeds and the dictionary that it names`() throws {
        for name in try Self.targets() {
            let folder = Fixtures.package.appending(path: "Fuzz/Corpus/\(name)").path
            #expect(try !FileManager.default.contentsOfDirectory(atPath: folder).isEmpty, "\(name)")
        }
        for dictionary in Set(try Self.rows().map { $0[2] }) where dictionary != "-" {
            let file = Fixtures.package.appending(path: "Fuzz/Dictionaries/\(dictionary).dict").path
            #expect(FileManager.default.fileExists(atPath: file), "\(dictionary)")
        }
    }
}
