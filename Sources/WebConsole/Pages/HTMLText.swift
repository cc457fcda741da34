/// Writes texts as HTML.
enum HTMLText {
    /// The text with entities for what HTML takes for markup, in an element and in an attribute.
    ///
    /// It goes by code points, as browsers do. The template engine goes by characters: to it a quotation mark with an accent is
    /// another character, which stays as it is and ends the attribute that it stands in.
    static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: isMarkup) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isMarkup(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), UInt8(ascii: "\""), UInt8(ascii: "'"): true
        default: false
        }
    }
}
