import AppStoreModels
import Foundation
import TestSupport

/// Random payloads: optional members are present or not, numbers are often at their limits, and texts need escapes.
struct RandomPayloads {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// Returns a random element.
    mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &generator)]
    }

    /// Returns the value or nil, at random.
    mutating func maybe<Value>(_ value: (inout Self) -> Value) -> Value? {
        Bool.random(using: &generator) ? value(&self) : nil
    }

    private static let pieces: [String] = [
        "", "a", "com.example.app", "\"", "\\", "/", "</script>", "\u{0}", "\u{1}", "\u{8}", "\t", "\n", "\u{B}",
        "\u{C}", "\r", "\u{E}", "\u{1F}", " ", "\u{7F}", "\u{80}", "\u{9F}", "é", "e\u{301}", "\u{2028}", "\u{2029}",
        "\u{FEFF}", "\u{FFFF}", "\u{FFFD}", "😀", "👨‍👩‍👧‍👦", "日本語", "\r\n", "\\u0041", "null", "1e5",
    ]

    mutating func text() -> String {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return "com.example.app.monthly"
        case 1: return (0..<Int.random(in: 0...6, using: &generator)).map { _ in pick(Self.pieces) }.joined()
        case 2: return String(UInt64.random(in: 0...UInt64.max, using: &generator))
        default:
            return String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 0...40, using: &generator)).compactMap { _ in
                        Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &generator))
                    }))
        }
    }

    mutating func open<Value: RawRepresentable>() -> Value where Value.RawValue == String { open(text()) }

    mutating func open<Value: RawRepresentable>() -> Value where Value.RawValue == Int32 { open(small()) }

    private func open<Value: RawRepresentable>(_ raw: Value.RawValue) -> Value {
        guard let value = Value(rawValue: raw) else { preconditionFailure("\(Value.self) is not open") }
        return value
    }

    mutating func small() -> Int32 {
        pick([0, 1, -1, 9, 10, 99, 100, .min, .max, Int32.random(in: .min ... .max, using: &generator)])
    }

    mutating func large() -> Int64 {
        pick([0, 1, -1, 4990, 1_000_000, .min, .max, Int64.random(in: .min ... .max, using: &generator)])
    }

    mutating func date() -> Date {
        let milliseconds = pick([
            0, -1, 1, 999, 1_759_727_785_445, 8_640_000_000_000_000, -8_640_000_000_000_000,
            Int64.random(in: -8_640_000_000_000_000...8_640_000_000_000_000, using: &generator),
            Int64.random(in: 1_500_000_000_000...2_000_000_000_000, using: &generator),
        ])
        return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    mutating func flag() -> Bool { Bool.random(using: &generator) }

    mutating func texts() -> [String] { (0..<Int.random(in: 0...3, using: &generator)).map { _ in text() } }

    mutating func uuid() -> UUID {
        var bytes = generator.bytes(16)
        return bytes.withUnsafeMutableBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
