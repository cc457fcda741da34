internal import Basics

/// Makes characters visible that would change how a text is displayed or hide part of it.
package enum VisibleText {
    /// Returns the text in one line, with such characters spelled out: `⟨U+202E⟩`.
    package static func plain(_ text: String) -> String {
        guard needsChips(text) else { return text }
        var result = ""
        walk(text) { scalar, isShown in
            if isShown { result.unicodeScalars.append(scalar) } else { result += "⟨\(name(scalar))⟩" }
        }
        return result
    }

    /// Returns the text as a list of runs. Each is either `plain` text or a `chip` for one such character.
    ///
    /// - Parameters:
    ///   - keepsLines: Whether line feeds stay, for a preformatted text.
    ///   - breaksNames: Whether a line may end after a dot between letters, as in `com.example.monthly`.
    ///   - marksCode: Whether the parts between backticks are code.
    static func runs(
        _ text: String, keepsLines: Bool = false, breaksNames: Bool = false, marksCode: Bool = false
    ) -> PageValue {
        guard needsChips(text) else {
            return .list(breaksNames ? nameParts(text) : marksCode ? codeParts(text) : [run(plain: text)])
        }
        var runs: [PageValue] = []
        var plain = ""
        walk(text) { scalar, isShown in
            if isShown || keepsLines && scalar == "\n" {
                plain.unicodeScalars.append(scalar)
                return
            }
            if !plain.isEmpty { runs.append(run(plain: plain)) }
            plain = ""
            runs.append(
                .object(["chip": .text(name(scalar)), "plain": .nothing, "codeText": .nothing, "isBreakable": false]))
        }
        if !plain.isEmpty || runs.isEmpty { runs.append(run(plain: plain)) }
        return .list(runs)
    }

    private static func run(plain: String, isBreakable: Bool = false) -> PageValue {
        .object([
            "chip": .nothing, "plain": .exact(plain), "codeText": .nothing, "isBreakable": .flag(isBreakable),
        ])
    }

    /// Returns the text with the parts between backticks as code; unchanged if a backtick is without its pair.
    private static func codeParts(_ text: String) -> [PageValue] {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false).map { String($0) }
        guard !parts.count.isMultiple(of: 2) else { return [run(plain: text)] }
        return parts.enumerated().map { index, part in
            index.isMultiple(of: 2)
                ? run(plain: part)
                : .object(["chip": .nothing, "plain": .exact(""), "codeText": .exact(part), "isBreakable": false])
        }
    }

    /// Returns the parts of a text that end with a dot between two ASCII letters, and the rest.
    private static func nameParts(_ text: String) -> [PageValue] {
        let bytes = Array(text.utf8)
        func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte & 0xDF) }
        let dots = bytes.indices.dropFirst().dropLast().filter {
            bytes[$0] == UInt8(ascii: ".") && isLetter(bytes[$0 - 1]) && isLetter(bytes[$0 + 1])
        }
        let parts = zip([0] + dots.map { $0 + 1 }, dots).map { start, dot in
            run(plain: String(decoding: bytes[start...dot], as: UTF8.self), isBreakable: true)
        }
        return parts + [run(plain: String(decoding: bytes[((dots.last ?? -1) + 1)...], as: UTF8.self))]
    }

    /// Calls `body` with each scalar and whether it may be shown unchanged.
    private static func walk(_ text: String, _ body: (Unicode.Scalar, Bool) -> Void) {
        var marks = 0
        for scalar in text.unicodeScalars {
            marks = isMark(scalar) ? marks + 1 : 0
            body(scalar, marks <= maximumMarks && !isHidden(scalar))
        }
    }

    /// The maximum number of combining marks on one letter. More would overlap the lines above and below.
    private static let maximumMarks = 4

    private static func needsChips(_ text: String) -> Bool {
        // Most texts are plain ASCII.
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return false }
        var needsChips = false
        walk(text) { _, isShown in if !isShown { needsChips = true } }
        return needsChips
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300 else { return false }
        return switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isUnprintable || scalar.properties.generalCategory == .unassigned { return true }
        // Invisible letters.
        return [0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800].contains(scalar.value)
    }

    private static func name(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
