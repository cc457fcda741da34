internal import Basics

/// A value of a configuration file, independent of the file's syntax.
///
/// Numbers are stored as text. So prices are exact, and no number is too large to read.
package struct ConfigurationValue: Sendable {
    package indirect enum Content: Sendable {
        case nothing
        case text(String)
        case list([ConfigurationValue])
        case mapping([String: ConfigurationValue])
    }

    package var content: Content
    /// The line, counted from 1; nil if it is unknown.
    package var line: Int?

    package init(_ content: Content, line: Int? = nil) {
        self.content = content
        self.line = line
    }

    /// The kind of the value, for messages.
    package var kind: String {
        switch content {
        case .nothing: "nothing"
        case .text: "text"
        case .list: "a list"
        case .mapping: "a mapping"
        }
    }
}

/// Returns `text` in quotation marks, with control characters escaped and at most 60 code points, for messages.
package func quoted(_ text: String) -> String {
    let start = text.unicodeScalars.prefix(60)
    let rest = start.endIndex < text.unicodeScalars.endIndex
    return String(start).quoted + (rest ? "…" : "")
}
