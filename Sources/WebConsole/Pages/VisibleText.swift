internal import Basics

/// Makes visible what would change how a text is read, or hide part of it.
package enum VisibleText {
    /// The text in one line of plain characters, others spelled out: `⟨U+202E⟩`.
    package static func plain(_ text: String) -> String {
        guard needsChips(text) else { return text }
        var result = ""
        walk(text) { scalar, isShown in
            if isShown { result.unicodeScalars.append(scalar) } else { result += "⟨\(name(scalar))⟩" }
        }
        return result
    }

    /// The text as runs: each is either `plain` or a `chip`.
    static func runs(_ text: String) -> PageValue {
        guard needsChips(text) else { return .list([run(plain: text)]) }
        var runs: [PageValue] = []
        var plain = ""
        walk(text) { scalar, isShown in
            if isShown {
                plain.unicodeScalars.append(scalar)
                return
            }
            if !plain.isEmpty { runs.append(run(plain: plain)) }
            plain = ""
            runs.append(.object(["chip": .text(name(scalar)), "plain": .nothing]))
        }
        if !plain.isEmpty || runs.isEmpty { runs.append(run(plain: plain)) }
        return .list(runs)
    }

    private static func run(plain: String) -> PageValue { .object(["chip": .nothing, "plain": .exact(plain)]) }

    /// Goes through the scalars and tells whether each may be shown as it is.
    private static func walk(_ text: String, _ body: (Unicode.Scalar, Bool) -> Void) {
        var marks = 0
        for scalar in text.unicodeScalars {
            marks = isMark(scalar) ? marks + 1 : 0
            body(scalar, marks <= mostMarks && !isHidden(scalar))
        }
    }

    /// More marks than this upon one letter run into the lines above and below.
    private static let mostMarks = 4

    private static func needsChips(_ text: String) -> Bool {
        // Most texts are plain ASCII.
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return false }
        var marks = 0
        return text.unicodeScalars.contains { scalar in
            marks = isMark(scalar) ? marks + 1 : 0
            return marks > mostMarks || isHidden(scalar)
        }
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
        // Letters without a shape.
        return [0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800].contains(scalar.value)
    }

    private static func name(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
