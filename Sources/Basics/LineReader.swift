package import Foundation

/// Reads a file line by line. The memory is bounded by the maximum length of a line plus one chunk of the file.
package struct LineReader {
    package enum Line: Sendable, Hashable {
        /// A line without its line feed, and without a carriage return before that.
        case bytes([UInt8])
        /// A line longer than the maximum. Its contents are skipped.
        case tooLong
    }

    /// The number of bytes of the file that the lines so far occupy.
    package private(set) var position: UInt64 = 0

    private let file: FileHandle
    private let longest: Int
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    /// Creates a reader that starts at the current offset of the handle.
    ///
    /// - Parameter longest: The maximum length of a line in bytes, without the line end.
    package init(_ file: FileHandle, longest: Int) {
        self.file = file
        self.longest = longest
    }

    /// Returns the next lines, at most `count`; none at the end. After as many bytes as the longest line may have, takes
    /// no further line, so that long lines do not fill the memory.
    package mutating func next(_ count: Int) throws -> [Line] {
        var (lines, size): ([Line], Int) = ([], 0)
        while lines.count < count, size < longest, let line = try next() {
            if case .bytes(let bytes) = line { size += bytes.count }
            lines.append(line)
        }
        return lines
    }

    /// Returns the next line; nil at the end. The last line needs no line feed.
    package mutating func next() throws -> Line? {
        var isTooLong = false
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                return take(to: end, andSkip: 1, isTooLong)
            }
            // The last byte may be the carriage return of a line end.
            if buffer.count - start > longest + 1 {
                isTooLong = true
                position += UInt64(buffer.count - start)
                start = buffer.count
            }
            buffer.removeFirst(start)
            start = 0
            searched = buffer.count
            guard !isAtEnd, let more = try file.read(upToCount: 1 << 16), !more.isEmpty else {
                isAtEnd = true
                guard !buffer.isEmpty || isTooLong else { return nil }
                return take(to: buffer.count, andSkip: 0, isTooLong)
            }
            buffer += more
        }
    }

    private mutating func take(to end: Int, andSkip skipped: Int, _ isTooLong: Bool) -> Line {
        var line = buffer[start..<end]
        position += UInt64(end + skipped - start)
        start = end + skipped
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if isTooLong || line.count > longest { return .tooLong }
        return .bytes(Array(line))
    }
}
