internal import LedgerServices
internal import Synchronization

/// Looks up the hosts of webhook URLs in requests, few at once.
///
/// A lookup occupies a thread and a file for half a minute if no name server answers.
final class HostLookups: Sendable {
    /// The maximum number of lookups at once.
    static let maximum = 8

    private let running = Atomic<Int>(0)
    private let resolve: @Sendable (String) async -> [String]

    init(resolve: @escaping @Sendable (String) async -> [String] = WebhookTarget.resolve) { self.resolve = resolve }

    /// Returns the addresses of a host; none if it has none, or if too many lookups are running. Every delivery looks
    /// the host up again.
    func addresses(of host: String) async -> [String] {
        let count = running.wrappingAdd(1, ordering: .relaxed).newValue
        defer { running.wrappingSubtract(1, ordering: .relaxed) }
        return count <= Self.maximum ? await resolve(host) : []
    }
}
