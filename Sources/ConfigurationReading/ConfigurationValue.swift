/// A value of a configuration file, whatever the syntax of the file: text and structure.
///
/// Numbers stay text. That way prices are exact, and no number can be too large to be looked at.
package struct ConfigurationValue {
    package indirect enum Content {
        case nothing
        case text(String)
        case list([ConfigurationValue])
        case mapping([String: ConfigurationValue])
    }

    package var content: Content
    /// Counted from 1; nil where the syntax does not tell.
    package var line: Int?

    package init(_ content: Content, line: Int? = nil) {
        self.content = content
        self.line = line
    }

    /// What kind of value it is, for messages.
    package var kind: String {
        switch content {
        case .nothing: "nothing"
        case .text: "text"
        case .list: "a list"
        case .mapping: "a mapping"
        }
    }
}

/// `text` in quotation marks, without control characters and not longer than a message can bear.
package func quoted(_ text: String) -> String {
    let start = text.unicodeScalars.prefix(60)
    let rest = start.endIndex < text.unicodeScalars.endIndex
    return String(start).debugDescription + (rest ? "…" : "")
}
