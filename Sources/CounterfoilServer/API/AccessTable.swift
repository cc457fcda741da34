internal import LedgerServices
internal import Ledger
internal import Foundation
internal import Synchronization

/// The keys that open the API, by their digests, and the secrets of customer tokens.
struct AccessTable: Sendable {
    struct Entry: Sendable {
        var principal: Principal
        var isPublic: Bool
        var meter: RateMeter
        var use: KeyUse
    }

    let keys: [Data: Entry]
    let secrets: [(bundleID: String, secret: Secret)]

    /// - Parameter known: The table before. A key that stays goes on with its meter and its use.
    init(_ configuration: ServerConfiguration, replacing known: AccessTable? = nil) {
        let pairs = configuration.keys.map { key in
            let principal = Principal(
                name: key.name, scopes: key.scopes, apps: key.apps, environments: key.environments)
            let meter = known?.keys[key.hash]?.meter ?? RateMeter(perSecond: configuration.limits.requestsPerSecond)
            let use = known?.keys[key.hash]?.use ?? KeyUse()
            return (key.hash, Entry(principal: principal, isPublic: key.isPublic, meter: meter, use: use))
        }
        keys = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        secrets = configuration.apps.compactMap { app in app.customerTokenSecret.map { (app.bundleID, $0) } }
    }
}

/// When a key was used last.
final class KeyUse: Sendable {
    /// Nanoseconds of the clock of ``RateMeter``; nothing before the first.
    private let last = Atomic<Int64>(.min)

    func note() { last.store(RateMeter.now, ordering: .relaxed) }

    /// How long ago; nil if it was not used since the server started.
    var idle: Duration? {
        let last = last.load(ordering: .relaxed)
        return last == .min ? nil : .nanoseconds(max(0, RateMeter.now - last))
    }
}
