internal import Basics
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
        var allowance: WaitAllowance
    }

    package static let standardError = LogOutput(STDERR_FILENO)
    package static let standardOutput = LogOutput(STDOUT_FILENO)

    /// The maximum size of a write. A pipe that `poll` reports as writable takes that many bytes without blocking.
    private static let piece = 4096
    private static let newline = UInt8(ascii: "\n")

    private let descriptor: Int32
    private let state: Mutex<State>

    /// - Parameters:
    ///   - descriptor: A file descriptor that stays open.
    ///   - timeout: How long lines wait at once until the descriptor is writable, in milliseconds: see
    ///     ``WaitAllowance``. After a lost line, lines do not wait until one is written again.
    package init(_ descriptor: Int32, timeout: Int32 = 1000) {
        self.descriptor = descriptor
        state = Mutex(State(allowance: WaitAllowance(.milliseconds(timeout), at: .now)))
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
        while sent < bytes.count, hasRoom(&state) {
            let count = bytes[sent...].prefix(Self.piece).withUnsafeBytes { piece in
                Foundation.write(descriptor, piece.baseAddress, piece.count)
            }
            if count > 0 { sent += count } else if errno != EINTR { break }
        }
        if sent > 0 { state.isInLine = bytes[sent - 1] != Self.newline }
        return sent == bytes.count
    }

    /// Returns whether the descriptor is writable, now or after the time that lines may wait.
    private func hasRoom(_ state: inout State) -> Bool {
        if isWritable(within: .zero) { return true }
        guard state.lost == 0 else { return false }
        let start = ContinuousClock.now
        let hasRoom = isWritable(within: state.allowance.limit(at: start))
        state.allowance.spend(start.duration(to: .now))
        return hasRoom
    }

    private func isWritable(within timeout: Duration) -> Bool {
        var file = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let count = poll(&file, 1, Int32(timeout.seconds * 1000))
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }
}

/// How long lines may wait for the reader of a log: for a limited time at once, and a hundredth of the time in the long
/// run. Without the second limit, a reader that is always slow would hold each thread that logs at each line.
package struct WaitAllowance: Sendable {
    private let maximum: Duration
    private var left: Duration
    private var updated: ContinuousClock.Instant

    /// - Parameter maximum: How long lines may wait at once.
    package init(_ maximum: Duration, at now: ContinuousClock.Instant) {
        (self.maximum, left, updated) = (maximum, maximum, now)
    }

    /// Returns how long a line may wait now.
    package mutating func limit(at now: ContinuousClock.Instant) -> Duration {
        left = min(maximum, left + updated.duration(to: now) / 100)
        updated = now
        return left
    }

    /// Subtracts the time that a line waited.
    package mutating func spend(_ time: Duration) { left = max(.zero, left - time) }
}
