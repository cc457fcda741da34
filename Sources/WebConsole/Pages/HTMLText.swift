internal import Basics

/// Escapes text for HTML.
enum HTMLText {
    /// Returns the text with entities for the characters that are markup in elements and attributes.
    ///
    /// It replaces code points, as browsers parse them. The template engine replaces characters: to it, a quotation
    /// mark with a combining accent is another character, which it leaves unescaped, so that it ends the attribute.
    static func escaped(_ text: String) -> String {
        text.escaping {
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
}
