internal import LedgerServices
internal import Ledger
internal import Foundation

/// The keys that open the API, by their digests, and the secrets of customer tokens.
struct AccessTable: Sendable {
    struct Entry: Sendable {
        var principal: Principal
        var isPublic: Bool
        var meter: RateMeter
    }

    let keys: [Data: Entry]
    let secrets: [(bundleId: String, secret: Secret)]

    /// - Parameter known: The table before. A key that stays goes on with its meter.
    init(_ configuration: ServerConfiguration, replacing known: AccessTable? = nil) {
        let pairs = configuration.keys.map { key in
            let principal = Principal(
                name: key.name, scopes: key.scopes, apps: key.apps, environments: key.environments)
            let meter = known?.keys[key.hash]?.meter ?? RateMeter(perSecond: configuration.limits.requestsPerSecond)
            return (key.hash, Entry(principal: principal, isPublic: key.isPublic, meter: meter))
        }
        keys = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        secrets = configuration.apps.compactMap { app in app.customerTokenSecret.map { (app.bundleId, $0) } }
    }
}
