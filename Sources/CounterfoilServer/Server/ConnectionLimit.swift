internal import HummingbirdCore
internal import Logging

/// Limits the open connections of a listening server. Clients above the limit wait until others close theirs. Logs when
/// the limit is reached, and when a quarter of the connections is free again: the number may stay close to the limit.
struct ConnectionLimit: AvailableConnectionsDelegate {
    private let maximum: Int
    private let logger: Logger
    private var count = 0
    private var wasReached = false

    init(_ maximum: Int, _ logger: Logger) { (self.maximum, self.logger) = (maximum, logger) }

    func isAcceptingNewConnections() -> Bool { count < maximum }

    mutating func connectionOpened() {
        count += 1
        guard count >= maximum, !wasReached else { return }
        wasReached = true
        logger.warning(
            """
            no more connections can be open; other clients wait. See what opens them, and let the process open more files \
            (`ulimit -n`, or LimitNOFILE= in a unit of systemd; up to 16384 are used)
            """, metadata: ["connections": "\(count)"])
    }

    mutating func connectionClosed() {
        count -= 1
        guard wasReached, count <= maximum - max(maximum / 4, 1) else { return }
        wasReached = false
        logger.notice("connections can be opened again")
    }
}
