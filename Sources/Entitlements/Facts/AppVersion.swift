/// A version of an app: the build number (`CFBundleVersion`) on iOS, the short version on the Mac.
///
/// Versions are compared number by number, not as text: 1.10 is later than 1.9, and 2 equals 2.0. A Mac build number
/// may end with a development stage and its number: 2.0d1, 2.0a3, 2.0b12 and 2.0fc1 come before 2.0, in this order.
public struct AppVersion: Sendable, Hashable, Comparable {
    /// The numbers, without leading zeros and without zero components at the end. They are stored as text, so that no
    /// number is too large.
    private let numbers: [String]
    private let stage: Stage
    private let stageNumber: String

    private enum Stage: Int, Sendable, Hashable {
        case development, alpha, beta, finalCandidate, release
    }

    /// The maximum length of a version, in bytes.
    private static let maximumBytes = 64

    /// Parses a version. Returns nil if the text is not a version.
    public init?(_ text: String) {
        guard (1...Self.maximumBytes).contains(text.utf8.count) else { return nil }
        let letters = text.utf8.firstIndex { !Self.isDigit($0) && $0 != UInt8(ascii: ".") }
        let numbers = text[..<(letters ?? text.endIndex)].split(separator: ".", omittingEmptySubsequences: false)
        guard numbers.allSatisfy({ !$0.isEmpty }) else { return nil }
        var shortened = numbers.map(Self.withoutLeadingZeros)
        while shortened.last == "" { shortened.removeLast() }
        self.numbers = shortened
        guard let letters else {
            (stage, stageNumber) = (.release, "")
            return
        }
        let rest = text[letters...]
        let name = rest.prefix { !($0.isASCII && $0.isNumber) }
        let number = rest.dropFirst(name.count)
        guard let stage = Self.stage(name), number.utf8.allSatisfy(Self.isDigit) else { return nil }
        (self.stage, stageNumber) = (stage, Self.withoutLeadingZeros(number))
    }

    private static func stage(_ name: Substring) -> Stage? {
        switch name {
        case "d": .development
        case "a": .alpha
        case "b": .beta
        case "f", "fc": .finalCandidate
        default: nil
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func withoutLeadingZeros(_ number: Substring) -> String { String(number.drop { $0 == "0" }) }

    /// Whether one version comes before another.
    public static func < (one: Self, other: Self) -> Bool {
        for index in 0..<max(one.numbers.count, other.numbers.count) {
            let number = one.numbers.indices.contains(index) ? one.numbers[index] : ""
            let otherNumber = other.numbers.indices.contains(index) ? other.numbers[index] : ""
            if number != otherNumber { return isLess(number, otherNumber) }
        }
        if one.stage != other.stage { return one.stage.rawValue < other.stage.rawValue }
        return isLess(one.stageNumber, other.stageNumber)
    }

    /// Compares numbers without leading zeros: a shorter number is less.
    private static func isLess(_ one: String, _ other: String) -> Bool {
        one.utf8.count != other.utf8.count ? one.utf8.count < other.utf8.count : one < other
    }
}
