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
        guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
        return unicodeScalars.reduce(into: "") { result, scalar in
            if scalar.isUnprintable {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }
}
