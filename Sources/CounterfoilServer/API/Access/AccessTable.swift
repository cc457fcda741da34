internal import Foundation
internal import Ledger
internal import LedgerServices
internal import Synchronization

/// The API keys by their SHA-256 digests, and the secrets of customer tokens.
struct AccessTable: Sendable {
    struct Entry: Sendable {
        var principal: Principal
        var isPublic: Bool
        var meter: RateMeter
        var use: KeyUse
    }

    let keys: [Data: Entry]
    let secrets: [(bundleID: String, secret: Secret)]

    /// - Parameter previous: The previous table. Keys that stay keep their rate meter and their last use.
    init(_ configuration: ServerConfiguration, replacing previous: AccessTable? = nil) {
        let pairs = configuration.keys.map { key in
            let principal = Principal(
                name: key.name, scopes: key.scopes, apps: key.apps, environments: key.environments)
            let meter = previous?.keys[key.hash]?.meter ?? RateMeter(perSecond: configuration.limits.requestsPerSecond)
            let use = previous?.keys[key.hash]?.use ?? KeyUse()
            return (key.hash, Entry(principal: principal, isPublic: key.isPublic, meter: meter, use: use))
        }
        keys = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        secrets = configuration.apps.flatMap { app in
            app.customerTokenSecrets.map { (bundleID: app.bundleID, secret: $0) }
        }
    }
}

/// The time of a key's last use.
final class KeyUse: Sendable {
    /// Nanoseconds of the ``RateMeter`` clock; `.min` before the first use.
    private let last = Atomic<Int64>(.min)

    func record() { last.store(RateMeter.now, ordering: .relaxed) }

    /// The time since the last use; nil if the key was not used since the server started.
    var idle: Duration? {
        let last = last.load(ordering: .relaxed)
        return last == .min ? nil : .nanoseconds(max(0, RateMeter.now - last))
    }
}
