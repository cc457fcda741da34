extension Unicode.Scalar {
    /// Whether the code point can break a line, move a terminal's cursor or change the text direction, or is invisible.
    package var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse: true
        default: false
        }
    }

    /// The code point as an escape in a JSON string, such as `\u202e`: two escapes for a surrogate pair.
    package var jsonEscape: String {
        String(self).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }.joined()
    }
}

extension String {
    /// The text with unprintable code points escaped, such as `\u{202e}`.
    package var escapingUnprintable: String {
        escaping { $0.isUnprintable ? "\\u{\(String($0.value, radix: 16))}" : nil }
    }
}
