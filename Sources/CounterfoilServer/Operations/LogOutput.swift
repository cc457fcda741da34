internal import Foundation
internal import Synchronization

/// Where lines go that nobody has to read, such as those of the log: standard error.
///
/// Whoever reads them, like journald or the runtime of a container, may stop reading. Then lines are lost, and the server goes
/// on. Otherwise each thread that logs would wait, and the server could not even end.
package final class LogOutput: Sendable {
    private struct State {
        /// How many lines were lost since one was written.
        var lost = 0
        /// Whether a line was written in part.
        var isInLine = false
    }

    package static let standardError = LogOutput(STDERR_FILENO)
    package static let standardOutput = LogOutput(STDOUT_FILENO)

    /// As much as a pipe with any room takes without making the writer wait.
    private static let piece = 4096
    private static let newline = UInt8(ascii: "\n")

    private let descriptor: Int32
    private let patience: Int32
    private let state = Mutex(State())

    /// - Parameters:
    ///   - descriptor: A file that stays open.
    ///   - patience: How long a line waits for room, in milliseconds. After a lost one none waits until there is room.
    package init(_ descriptor: Int32, patience: Int32 = 1000) {
        (self.descriptor, self.patience) = (descriptor, patience)
    }

    /// Writes a line, or loses it. Lines of several threads do not mix.
    ///
    /// - Parameter gap: Returns the line that tells of so many lost ones.
    package func write(_ line: [UInt8], gap: (Int) -> [UInt8] = { _ in [] }) {
        state.withLock { state in
            if state.lost > 0, put(gap(state.lost), &state) { state.lost = 0 }
            if state.lost > 0 || !put(line, &state) { state.lost += 1 }
        }
    }

    /// Returns whether all of it was written.
    private func put(_ line: [UInt8], _ state: inout State) -> Bool {
        let bytes = (state.isInLine ? [Self.newline] : []) + line
        var sent = 0
        while sent < bytes.count, hasRoom(within: state.lost > 0 ? 0 : patience) {
            let count = bytes[sent...].prefix(Self.piece).withUnsafeBytes { piece in
                Foundation.write(descriptor, piece.baseAddress, piece.count)
            }
            if count > 0 { sent += count } else if errno != EINTR { break }
        }
        if sent > 0 { state.isInLine = bytes[sent - 1] != Self.newline }
        return sent == bytes.count
    }

    private func hasRoom(within patience: Int32) -> Bool {
        var file = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let count = poll(&file, 1, patience)
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }
}
