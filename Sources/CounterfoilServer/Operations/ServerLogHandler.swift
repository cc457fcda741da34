internal import Basics
package import Foundation
internal import Ledger
public import Logging

/// A log handler that writes one line per event to standard error, as text or JSON.
///
/// As text: `2026-01-02T03:04:05.678Z info a message key=value`. As JSON:
/// `{"time":"…","level":"info","message":"…","metadata":{"key":"value"}}`. Line breaks and unprintable characters are
/// escaped in both formats, since values come from outside.
public struct ServerLogHandler: LogHandler {
    /// The minimum level.
    public var logLevel: Logger.Level
    /// The metadata of every line.
    public var metadata: Logger.Metadata = [:]

    private let format: ServerConfiguration.LogFormat
    private let now: @Sendable () -> Date
    private let write: Write

    /// Writes a line. `gap` returns the line that reports the given number of lost lines.
    package typealias Write = @Sendable (_ line: [UInt8], _ gap: (Int) -> [UInt8]) -> Void

    /// Creates a handler with the configured level and format.
    public init(_ log: ServerConfiguration.Log) {
        self.init(log, now: { Date() }) { LogOutput.standardError.write($0, gap: $1) }
    }

    package init(
        _ log: ServerConfiguration.Log, now: @escaping @Sendable () -> Date, write: @escaping Write
    ) {
        logLevel = log.level
        format = log.format
        self.now = now
        self.write = write
    }

    /// The metadata value of every line for a key.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a line.
    public func log(event: LogEvent) {
        var all = metadata
        if let more = event.metadata { all.merge(more) { _, new in new } }
        if let error = event.error { all["error"] = "\(error.logReason)" }
        let time = now().formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true)) + "Z"
        let values = all.sorted { $0.key < $1.key }.map { ($0.key, $0.value.description) }
        write(line(time, event.level, event.message.description, values)) { count in
            line(
                time, .warning, "lines of the log were lost, because they could not be written", [("count", "\(count)")]
            )
        }
    }

    private func line(
        _ time: String, _ level: Logger.Level, _ message: String, _ values: [(String, String)]
    ) -> [UInt8] {
        switch format {
        case .text: Self.text(time, level, message, values)
        case .json: Self.json(time, level, message, values)
        }
    }

    private static func text(
        _ time: String, _ level: Logger.Level, _ message: String, _ values: [(String, String)]
    ) -> [UInt8] {
        var line = "\(time) \(level) \(message.escapingUnprintable)"
        for (key, value) in values { line += " \(key.escapingUnprintable)=\(quoted(value))" }
        return Array((line + "\n").utf8)
    }

    private static func json(
        _ time: String, _ level: Logger.Level, _ message: String, _ values: [(String, String)]
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("time", time)
            json.member("level", level.rawValue)
            json.member("message", message)
            guard !values.isEmpty else { return }
            json.member("metadata") { json in
                for (key, value) in values {
                    json.key(text: key)
                    json.string(value)
                }
            }
        }
        // JSON permits most unprintable characters within strings.
        let line = String(decoding: json.bytes, as: UTF8.self).escaping { $0.isUnprintable ? $0.jsonEscape : nil }
        return Array((line + "\n").utf8)
    }

    /// Quotes a value unless it is one word.
    private static func quoted(_ text: String) -> String {
        let isWord = !text.isEmpty && text.unicodeScalars.allSatisfy { $0 != " " && $0 != "\"" && $0 != "=" }
        if isWord { return text.escapingUnprintable }
        return "\"\(text.escaping { $0 == "\\" || $0 == "\"" ? "\\\($0)" : nil }.escapingUnprintable)\""
    }
}
