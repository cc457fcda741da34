extension Unicode.Scalar {
    /// Whether it could end a line, move a terminal's cursor, change the direction of the text, or cannot be seen.
    package var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
        default: false
        }
    }
}

extension String {
    /// The text with what is unprintable spelled out, such as `\u{202e}`.
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
