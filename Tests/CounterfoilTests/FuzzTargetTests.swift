import Foundation
import TestSupport
import Testing

/// The fuzzers are built with sanitizers, which takes too long for every run. These tests check that each could run.
@Suite struct `Fuzz targets` {
    /// The table in `Fuzz/run`: target, maximum input size, dictionary, genuine data.
    private static func rows() throws -> [[String]] {
        let table = try #require(try Fixtures.file("Fuzz/run").firstMatch(of: /targets="([^"]+)"/)).1
        let rows = table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        try #require(rows.count > 15 && Set(rows.map(\.count)) == [4])
        return rows
    }

    private static func targets() throws -> [String] { try rows().map { $0[0] } }

    @Test func `Every fuzz target has an entry point, and the reverse`() throws {
        let points = try Fixtures.file("Fuzz/Driver/driver.c").matches(of: /ENTRY_POINT\(fuzz_(\w+)\)/)
        #expect(
            points.map { String($0.1).replacing("_", with: "-") }.sorted() == (try Self.targets().sorted()),
            "Fuzz/Driver/driver.c and Fuzz/run name the same targets")
    }

    @Test func `Every fuzz target is a product of the package with a harness`() throws {
        let products = try Fixtures.file("Package.swift").matches(of: /harness\("([a-z0-9-]+)", "(\w+)"/)
        #expect(products.map { String($0.1) }.sorted() == (try Self.targets().sorted()))
        for product in products {
            let harness = try Fixtures.file("Fuzz/\(product.2)/\(product.2).swift")
            #expect(harness.contains(#"@_cdecl("LLVMFuzzerTestOneInput")"#), "\(product.2)")
        }
    }

    @Test func `Every fuzz target has seeds, and its dictionary exists`() throws {
        for name in try Self.targets() {
            let folder = Fixtures.seeds(of: name).path
            #expect(try !FileManager.default.contentsOfDirectory(atPath: folder).isEmpty, "\(name)")
        }
        for dictionary in Set(try Self.rows().map { $0[2] }) where dictionary != "-" {
            let file = Fixtures.package.appending(path: "Fuzz/Dictionaries/\(dictionary).dict").path
            #expect(FileManager.default.fileExists(atPath: file), "\(dictionary)")
        }
    }
}
