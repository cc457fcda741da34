extension String {
    /// Returns the text with some of its code points replaced.
    ///
    /// Swift's `replacing` works on characters, so it misses a quotation mark with a combining accent or a line feed
    /// after a carriage return. Parsers of the text work on code points or bytes.
    ///
    /// - Parameter replacement: Returns the replacement of a code point; nil to keep it.
    package func escaping(_ replacement: (Unicode.Scalar) -> String?) -> String {
        // Most texts have nothing to replace.
        guard unicodeScalars.contains(where: { replacement($0) != nil }) else { return self }
        return unicodeScalars.reduce(into: "") { result, scalar in
            if let text = replacement(scalar) {
                result += text
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }

    /// The text in quotation marks for a message, with control characters, quotation marks and backslashes escaped. Unlike
    /// `debugDescription` it does not escape apostrophes.
    package var quoted: String {
        let letters = unicodeScalars.map { scalar -> String in
            scalar == "'" ? "'" : scalar.escaped(asASCII: false)
        }
        return "\"" + letters.joined() + "\""
    }

    /// The text quoted as one word of a shell command.
    package var shellWord: String {
        let isPlain = utf8.allSatisfy { $0.isASCIIAlphanumeric || "-._/:@%+=,".utf8.contains($0) }
        return isPlain && !isEmpty ? self : "'" + escaping { $0 == "'" ? #"'\''"# : nil } + "'"
    }
}
