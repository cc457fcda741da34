internal import Ledger
internal import Basics
package import Foundation
public import Logging

/// Writes what is logged to standard error, a line each: for people, or as JSON.
///
/// As text: `2026-01-02T03:04:05.678Z info a message key=value`. As JSON:
/// `{"time":"…","level":"info","message":"…","metadata":{"key":"value"}}`. What could break a line is escaped in both, since
/// values come from outside.
public struct LogLines: LogHandler {
    /// What is less than this is not written.
    public var logLevel: Logger.Level
    /// What every line has.
    public var metadata: Logger.Metadata = [:]

    private let format: ServerConfiguration.LogFormat
    private let now: @Sendable () -> Date
    private let write: Write

    /// Writes a line; what it is given besides returns the line that tells of so many lost ones.
    package typealias Write = @Sendable (_ line: [UInt8], _ gap: (Int) -> [UInt8]) -> Void

    /// A handler for one logger.
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

    /// One of what every line has.
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
        return json.bytes + [UInt8(ascii: "\n")]
    }

    /// In quotation marks where it would not be one word.
    private static func quoted(_ text: String) -> String {
        let isWord = !text.isEmpty && text.unicodeScalars.allSatisfy { $0 != " " && $0 != "\"" && $0 != "=" }
        if isWord { return text.escapingUnprintable }
        return "\"\(text.escaping { $0 == "\\" || $0 == "\"" ? "\\\($0)" : nil }.escapingUnprintable)\""
    }
}
