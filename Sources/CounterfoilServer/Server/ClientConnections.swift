internal import Basics
internal import CoreMetrics
internal import Synchronization

/// Counts the open connections of each client, so that one of them cannot have them all.
///
/// Trusted proxies are not counted: whom a connection of theirs is for is known only when a request comes, and another
/// request on it may be for somebody else.
final class ClientConnections: Sendable {
    private let maximum: Int
    private let exempt: [Network]
    private let refused: Counter
    private let open = Mutex<[Network: Int]>([:])

    init(_ configuration: ServerConfiguration, _ metrics: RequestMetrics) {
        maximum = configuration.limits.connectionsPerAddress
        exempt = configuration.listen.trustedProxies
        refused = metrics.refusedConnections
    }

    /// What became of a connection.
    enum Admission {
        /// It counts for this network, until ``close(_:)``.
        case counted(Network)
        /// It is not counted.
        case exempt
        /// There are too many of the same client's.
        case refused
    }

    /// Counts a connection from an address, if there is room for it.
    func admit(_ address: String?) -> Admission {
        guard let address, let client = Network.ofClient(at: address), !exempt.contains(where: { $0.contains(address) })
        else { return .exempt }
        let isAdmitted = open.withLock { open in
            let count = open[client] ?? 0
            guard count < maximum else { return false }
            open[client] = count + 1
            return true
        }
        if isAdmitted { return .counted(client) }
        refused.increment()
        return .refused
    }

    /// Forgets a connection.
    func close(_ client: Network) {
        open.withLock { open in
            let count = (open[client] ?? 0) - 1
            open[client] = count > 0 ? count : nil
        }
    }
}
