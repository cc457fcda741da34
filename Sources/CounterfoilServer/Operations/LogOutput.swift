internal import Foundation
internal import Synchronization

/// Writes lines to a file descriptor that may block, such as standard error, and drops lines that it cannot write.
///
/// The reader of the log, such as journald or a container runtime, may stop reading. Blocking writes would then block
/// each thread that logs, and the server could not even shut down.
package final class LogOutput: Sendable {
    private struct State {
        /// The number of lines lost since the last written line.
        var lost = 0
        /// Whether the last line was written only in part.
        var isInLine = false
    }

    package static let standardError = LogOutput(STDERR_FILENO)
    package static let standardOutput = LogOutput(STDOUT_FILENO)

    /// The maximum size of a write. A pipe that `poll` reports as writable takes that many bytes without blocking.
    private static let piece = 4096
    private static let newline = UInt8(ascii: "\n")

    private let descriptor: Int32
    private let timeout: Int32
    private let state = Mutex(State())

    /// - Parameters:
    ///   - descriptor: A file descriptor that stays open.
    ///   - timeout: How long a line waits until the descriptor is writable, in milliseconds. After a lost line, lines
    ///     do not wait until one is written again.
    package init(_ descriptor: Int32, timeout: Int32 = 1000) {
        (self.descriptor, self.timeout) = (descriptor, timeout)
    }

    /// Writes a line or drops it. Lines of several threads do not mix.
    ///
    /// - Parameter gap: Returns the line that reports the given number of lost lines.
    package func write(_ line: [UInt8], gap: (Int) -> [UInt8] = { _ in [] }) {
        state.withLock { state in
            if state.lost > 0, writeAll(gap(state.lost), &state) { state.lost = 0 }
            if state.lost > 0 || !writeAll(line, &state) { state.lost += 1 }
        }
    }

    /// Returns whether the whole line was written.
    private func writeAll(_ line: [UInt8], _ state: inout State) -> Bool {
        let bytes = (state.isInLine ? [Self.newline] : []) + line
        var sent = 0
        while sent < bytes.count, hasRoom(within: state.lost > 0 ? 0 : timeout) {
            let count = bytes[sent...].prefix(Self.piece).withUnsafeBytes { piece in
                Foundation.write(descriptor, piece.baseAddress, piece.count)
            }
            if count > 0 { sent += count } else if errno != EINTR { break }
        }
        if sent > 0 { state.isInLine = bytes[sent - 1] != Self.newline }
        return sent == bytes.count
    }

    private func hasRoom(within timeout: Int32) -> Bool {
        var file = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let count = poll(&file, 1, timeout)
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }
}
