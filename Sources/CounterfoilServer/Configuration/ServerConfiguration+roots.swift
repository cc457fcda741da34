internal import AppStoreTrust
package import Foundation

extension ServerConfiguration.Trust {
    /// The roots for signed data and for receipts, in order of expiration. Each name occurs once.
    var roots: [(name: String, date: Date)] {
        var seen: Set<String> = []
        return anchors.union(receiptAnchors).expirations.filter { seen.insert($0.name).inserted }
    }

    /// Returns the roots that expire within a year or have expired.
    func expiringRoots(at now: Date) -> [(name: String, date: Date)] {
        let names = Set(anchors.union(receiptAnchors).expiringSoon(asOf: now).map(\.name))
        return roots.filter { names.contains($0.name) }
    }
}

extension LoadedConfiguration {
    /// Returns a copy with a warning for each root that expires within a year of `now`.
    package func addingExpirationWarnings(at now: Date) -> LoadedConfiguration {
        var loaded = self
        for root in configuration.trust.expiringRoots(at: now) {
            let message =
                "the root \(root.name) expires on \(root.date.formatted(.iso8601)); data that it signs is rejected then"
            loaded.warnings.append(ConfigurationIssue(path: "trust", message: message))
        }
        return loaded
    }
}
