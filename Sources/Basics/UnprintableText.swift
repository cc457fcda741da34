extension Unicode.Scalar {
    /// Whether the code point can break a line, move a terminal's cursor or change the text direction, or is invisible.
    package var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
        default: false
        }
    }
}

extension String {
    /// The text with unprintable code points escaped, such as `\u{202e}`.
    package var escapingUnprintable: String {
        escaping { $0.isUnprintable ? "\\u{\(String($0.value, radix: 16))}" : nil }
    }
}
