internal import Basics
internal import CoreMetrics
internal import LedgerServices
internal import Logging
internal import Synchronization

/// Limits the open connections of each client, so that one client cannot use up all connections.
///
/// Connections of trusted proxies are not counted: one such connection carries requests of several clients.
final class ClientConnections: Sendable {
    private let maximum: Int
    private let exempt: [Network]
    private let refused: Counter
    private let open = Mutex<[Network: Int]>([:])
    private let logger: Logger
    private let logMeter = RateMeter(perHour: 12)

    init(_ configuration: ServerConfiguration, _ metrics: RequestMetrics, _ logger: Logger) {
        self.logger = logger
        maximum = configuration.limits.connectionsPerAddress
        exempt = configuration.listen.trustedProxies
        refused = metrics.refusedConnections
    }

    /// Whether a connection is admitted.
    enum Admission {
        /// Admitted, and counted for this network until ``close(_:)``.
        case counted(Network)
        /// Admitted and not counted.
        case exempt
        /// Refused: the client has too many open connections.
        case refused
    }

    /// Counts a connection from an address, unless its client has too many open connections.
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
        logRefusal(of: address)
        return .refused
    }

    /// Logs the address, which the metric does not name.
    private func logRefusal(of address: String) {
        logger.log(
            .warning,
            """
            an address has too many connections, and the server closes its further ones; if it is your proxy's, add it to \
            listen.trusted_proxies
            """, limitedBy: logMeter, ["address": "\(address)", "limit": "\(maximum)"])
    }

    /// Stops counting a closed connection.
    func close(_ client: Network) {
        open.withLock { open in
            let count = (open[client] ?? 0) - 1
            open[client] = count > 0 ? count : nil
        }
    }
}
