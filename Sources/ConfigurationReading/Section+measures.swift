internal import Basics

// Numbers with ranges and units, and lists of texts.

extension Section {
    /// Returns a whole number in a range.
    package mutating func number(_ key: String, in range: ClosedRange<Int>) -> Int? {
        guard let number = number(key) else { return nil }
        guard range.contains(number) else {
            problem(key, "is \(number) and should be between \(range.lowerBound) and \(range.upperBound)")
            return nil
        }
        return number
    }

    /// Returns a duration such as `15m`, `1h 30m` or `180d`, in a range.
    package mutating func duration(_ key: String, in range: ClosedRange<Duration>) -> Duration? {
        guard let text = text(key) else { return nil }
        guard let seconds = Self.sum(of: text, { TimeUnit(name: $0)?.seconds }) else {
            problem(key, "\(quoted(text)) is not a duration such as 30s, 15m or 1h")
            return nil
        }
        guard range.contains(.seconds(seconds)) else {
            let limits = [range.lowerBound, range.upperBound].map { "\($0.components.seconds)s" }
            problem(key, "\(quoted(text)) is not between \(limits[0]) and \(limits[1])")
            return nil
        }
        return .seconds(seconds)
    }

    /// Returns a number of bytes such as `65536`, `64 KiB` or `4 MiB`, in a range.
    package mutating func bytes(_ key: String, in range: ClosedRange<Int>) -> Int? {
        guard let text = text(key) else { return nil }
        guard let bytes = Int(text) ?? Self.sum(of: text, { Self.sizes[$0] }).map(Int.init) else {
            problem(key, "\(quoted(text)) is not a number of bytes such as 65536, 64 KiB or 4 MiB")
            return nil
        }
        guard range.contains(bytes) else {
            problem(key, "\(quoted(text)) is not between \(range.lowerBound) and \(range.upperBound) bytes")
            return nil
        }
        return bytes
    }

    /// Returns the texts of a list, each with its path and line; nil if the key is missing. A single text counts as a
    /// list.
    package mutating func texts(_ key: String) -> [(text: String, path: String, line: Int?)]? {
        guard let value = value(key) else { return nil }
        if case .text(let text) = value.content { return [(text, path(key), value.line)] }
        return list(key).compactMap { item in
            diagnostics.locate(item.path, line: item.value.line)
            guard case .text(let text) = item.value.content else {
                diagnostics.problem(item.path, "is \(item.value.kind) and should be text", line: item.value.line)
                return nil
            }
            return (text, item.path, item.value.line)
        }
    }

    private static let sizes: [String: Int64] = [
        "b": 1, "bytes": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "kb": 1000, "mb": 1_000_000,
        "gb": 1_000_000_000,
    ]

    /// Returns the sum of numbers with units, such as `1h 30m`; nil if the text is invalid or a number is too large.
    private static func sum(of text: String, _ size: (_ unit: String) -> Int64?) -> Int64? {
        guard let parts = MeasureParser.parts(of: text, upTo: 10_000_000, maximumBytes: 60) else { return nil }
        var sum: Int64 = 0
        for part in parts {
            guard let size = size(part.unit) else { return nil }
            sum += part.count * size
        }
        return sum
    }
}
