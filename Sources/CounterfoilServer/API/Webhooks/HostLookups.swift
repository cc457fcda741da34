internal import LedgerServices
internal import Synchronization

/// Looks up the hosts of webhook URLs in requests, few at once.
///
/// A lookup occupies a thread and a file for half a minute if no name server answers, also after its request was
/// cancelled.
final class HostLookups: Sendable {
    /// The maximum number of lookups at once.
    static let maximum = 8

    private let running = Atomic<Int>(0)
    private let lookUp: @Sendable (String) -> [String]

    /// - Parameter lookUp: Returns the addresses of a host. It may block.
    init(lookUp: @escaping @Sendable (String) -> [String] = WebhookTarget.systemAddresses) { self.lookUp = lookUp }

    /// Returns the addresses of a host; none if it has none, or if too many lookups are running. Every delivery looks
    /// the host up again.
    func addresses(of host: String) async -> [String] {
        guard running.wrappingAdd(1, ordering: .relaxed).newValue <= Self.maximum else {
            running.wrappingSubtract(1, ordering: .relaxed)
            return []
        }
        return await WebhookTarget.onThread {
            // The lookup ends here and not where its result is awaited: a cancelled request no longer waits.
            defer { self.running.wrappingSubtract(1, ordering: .relaxed) }
            return self.lookUp(host)
        } ?? []
    }
}
