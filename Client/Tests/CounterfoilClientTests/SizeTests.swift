import Foundation
import Testing

@Suite struct `Size of the client library` {
    private let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources")

    private func files(_ target: String) throws -> [[String]] {
        let folder = sources.appendingPathComponent(target)
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        return try names.map { name in
            try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8).components(separatedBy: "\n")
        }
    }

    private func isCode(_ line: String) -> Bool {
        let line = line.trimmingCharacters(in: .whitespaces)
        return !line.isEmpty && !line.hasPrefix("//")
    }

    @Test func `The libraries that an app links have at most 2,000 lines of code`() throws {
        let lines = try (files("CounterfoilClient") + files("CounterfoilStoreKit")).flatMap { $0 }.filter(isCode)
        #expect(lines.count > 1000)
        #expect(lines.count <= 2000)
    }

    @Test func `The StoreKit adapter has less than 300 lines`() throws {
        let lines = try files("CounterfoilStoreKit").flatMap { $0 }
        #expect(lines.count > 100)
        #expect(lines.count < 300)
    }

    @Test func `No file has more than 300 lines`() throws {
        let longest = try (files("CounterfoilClient") + files("CounterfoilClientTesting")).map(\.count).max()
        #expect(longest.map { $0 <= 301 } == true)
    }
}
