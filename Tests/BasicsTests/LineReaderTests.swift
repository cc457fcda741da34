import Basics
import Foundation
import TestSupport
import Testing

@Suite struct `Line reader` {
    /// The lines of a text, each with the file position after it; nil for lines that are too long.
    private func read(_ text: some Sequence<UInt8>, longest: Int = 100) async throws -> [(line: String?, position: Int)]
    {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "lines")
            try Data(text).write(to: file)
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            var lines = LineReader(handle, longest: longest)
            var found: [(String?, Int)] = []
            while let line = try lines.next() {
                var text: String?
                if case .bytes(let bytes) = line { text = String(decoding: bytes, as: UTF8.self) }
                found.append((text, Int(lines.position)))
            }
            return found
        }
    }

    @Test(arguments: [
        ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\r\nb\r\n", ["a", "b"]), ("\n\na", ["", "", "a"]), ("\r\n", [""]),
    ]) func `A line ends with a line feed or with the file`(_ text: String, _ lines: [String]) async throws {
        #expect(try await read(text.utf8).map(\.line) == lines)
    }

    @Test func `A line that is too long is reported, and the next one is read`() async throws {
        let long = String(repeating: "x", count: 200_000)
        let found = try await read("a\n\(long)\nb\n\(long)".utf8)
        #expect(found.map(\.line) == ["a", nil, "b", nil])
        #expect(found.map(\.position) == [2, 200_003, 200_005, 400_005])
    }

    @Test func `A line may be exactly as long as the limit`() async throws {
        #expect(try await read("abc\nabcd\n".utf8, longest: 3).map(\.line) == ["abc", nil])
    }

    @Test func `The maximum length of a line does not include its carriage return`() async throws {
        #expect(try await read("abc\r\nabcd\r\nabc\r".utf8, longest: 3).map(\.line) == ["abc", nil, "abc"])
        // The file is read in chunks of 65,536 bytes: the first one ends with the carriage return.
        let line = String(repeating: "x", count: 65_535)
        #expect(try await read("\(line)\r\nb".utf8, longest: 65_535).map(\.line) == [line, "b"])
        #expect(try await read("\(line)xx\nb".utf8, longest: 65_535).map(\.line) == [nil, "b"])
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `Lines are the same wherever the chunks of the file end`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let lines = (0..<50).map { _ in
            String(repeating: "y", count: Int.random(in: 0...9000, using: &random))
        }
        let found = try await read(lines.joined(separator: "\n").utf8, longest: 9000)
        #expect(found.map { $0.line ?? "?" } == (lines.last == "" ? Array(lines.dropLast()) : lines))
    }

    @Test func `A batch has at most the requested lines, and about as many bytes as one line may have`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "lines")
            try Data("a\n\nbb\nccccc\nd\neeee\nf\n".utf8).write(to: file)
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            var lines = LineReader(handle, longest: 4)
            var counts: [Int] = []
            while true {
                let batch = try lines.next(3)
                if batch.isEmpty { break }
                counts.append(batch.count)
            }
            // The fourth line is too long, so it has no bytes.
            #expect(counts == [3, 3, 1])
        }
    }
}
