internal import AppStoreTrust
package import Foundation

extension ServerConfiguration.Trust {
    /// The roots of signed data and of receipts, the first to end first, each name once.
    var roots: [(name: String, date: Date)] {
        var seen: Set<String> = []
        return anchors.union(receiptAnchors).expirations.filter { seen.insert($0.name).inserted }
    }

    /// Those that end within a year, or have ended.
    func endingRoots(at now: Date) -> [(name: String, date: Date)] {
        let names = Set(anchors.union(receiptAnchors).ending(soonAfter: now).map(\.name))
        return roots.filter { names.contains($0.name) }
    }
}

extension LoadedConfiguration {
    /// The same, with what there is to say at an instant: which roots end within a year.
    package func noting(at now: Date) -> LoadedConfiguration {
        var loaded = self
        for root in configuration.trust.endingRoots(at: now) {
            let message =
                "the root \(root.name) ends on \(root.date.formatted(.iso8601)): what it signs is not accepted then"
            loaded.notes.append(ConfigurationIssue(path: "trust", message: message))
        }
        return loaded
    }
}
