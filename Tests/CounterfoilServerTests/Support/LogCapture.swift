import CounterfoilServer
import Foundation
import Logging
import Synchronization

/// Captures the lines of a log.
final class LogCapture: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    func logger(_ log: ServerConfiguration.Log) -> Logger {
        Logger(label: "test") { _ in
            ServerLogHandler(log, now: { World.start }) { line, _ in self.bytes.withLock { $0 += line } }
        }
    }

    var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

    /// Returns how often a text occurs in the log.
    func count(of text: String) -> Int { self.text.components(separatedBy: text).count - 1 }
}
