internal import Basics

/// Writes texts as HTML.
enum HTMLText {
    /// The text with entities for what HTML takes for markup, in an element and in an attribute.
    ///
    /// It goes by code points, as browsers do. The template engine goes by characters: to it a quotation mark with an accent is
    /// another character, which stays as it is and ends the attribute that it stands in.
    static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: isMarkup) else { return text }
        return text.escaping {
            switch $0 {
            case "<": "&lt;"
            case ">": "&gt;"
            case "&": "&amp;"
            case "\"": "&quot;"
            case "'": "&#39;"
            default: nil
            }
        }
    }

    private static func isMarkup(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), UInt8(ascii: "\""), UInt8(ascii: "'"): true
        default: false
        }
    }
}
