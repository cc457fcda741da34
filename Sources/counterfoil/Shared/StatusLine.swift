import Foundation

/// The last line of standard error, which each text replaces. Shown only if standard error is a terminal.
enum StatusLine {
    static let isShown = isatty(FileHandle.standardError.fileDescriptor) == 1

    /// Shows a text. An empty text removes the line.
    static func show(_ text: String) {
        guard isShown else { return }
        // Ignore a failed write: progress is optional.
        try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K\(text)".utf8))
    }
}
