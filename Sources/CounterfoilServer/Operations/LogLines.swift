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
    private let write: @Sendable ([UInt8]) -> Void

    /// A handler for one logger.
    public init(_ log: ServerConfiguration.Log) {
        self.init(log, now: { Date() }, write: Self.writeToStandardError)
    }

    package init(
        _ log: ServerConfiguration.Log, now: @escaping @Sendable () -> Date,
        write: @escaping @Sendable ([UInt8]) -> Void
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
        let time = now().formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true))
        let values = all.sorted { $0.key < $1.key }.map { ($0.key, $0.value.description) }
        switch format {
        case .text: write(Self.text("\(time)Z", event, values))
        case .json: write(Self.json("\(time)Z", event, values))
        }
    }

    private static func text(_ time: String, _ event: LogEvent, _ values: [(String, String)]) -> [UInt8] {
        var line = "\(time) \(event.level) \(event.message.description.escapingUnprintable)"
        for (key, value) in values { line += " \(key.escapingUnprintable)=\(quoted(value))" }
        return Array((line + "\n").utf8)
    }

    private static func json(_ time: String, _ event: LogEvent, _ values: [(String, String)]) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("time", time)
            json.member("level", event.level.rawValue)
            json.member("message", event.message.description)
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

    /// In one call, so that lines of several threads do not mix. What cannot be written is lost: the work goes on.
    private static func writeToStandardError(_ line: [UInt8]) {
        line.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Foundation.write(
                    STDERR_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno != EINTR {
                    return
                }
            }
        }
    }
}
