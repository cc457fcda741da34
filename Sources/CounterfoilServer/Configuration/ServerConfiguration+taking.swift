internal import LedgerServices
internal import AppStoreModels

extension ServerConfiguration {
    /// What of another configuration can be taken while the server runs. All else stays as it is.
    ///
    /// - Returns: What counts now, and the names of the settings that are others and count from the next start.
    package func taking(_ other: ServerConfiguration) -> (taken: ServerConfiguration, waiting: [String]) {
        var (taken, waiting) = (self, [String]())
        (taken.keys, taken.webhooks, taken.origins) = (other.keys, other.webhooks, other.origins)
        if listen.tls != nil, let tls = other.listen.tls { taken.listen.tls = tls }
        for index in taken.apps.indices {
            let name = taken.apps[index].bundleID
            guard let app = other.app(name) else { continue }
            if !taken.apps[index].take(app) { waiting.append("apps \(name)") }
        }
        if other.apps.map({ ExactText($0.bundleID) }) != apps.map({ ExactText($0.bundleID) }) { waiting.append("apps") }
        if taken.listen != other.listen { waiting.append("listen") }
        if taken.trust != other.trust { waiting.append("trust") }
        if taken.storage != other.storage { waiting.append("storage") }
        if taken.recovery != other.recovery { waiting.append("recovery") }
        if taken.limits != other.limits { waiting.append("limits") }
        if taken.log != other.log { waiting.append("log") }
        if !taken.console.isSame(as: other.console) { waiting.append("console") }
        if taken.clock != other.clock { waiting.append("clock") }
        return (taken, waiting)
    }
}

extension ServerConfiguration.App {
    /// Takes the keys and secrets of another version of it; false if there is more that is another.
    fileprivate mutating func take(_ other: Self) -> Bool {
        (publicOffers, sharedSecrets) = (other.publicOffers, other.sharedSecrets)
        (customerTokenSecret, answerKey) = (other.customerTokenSecret, other.answerKey)
        offerKey = other.offerKey
        var isAll = (key == nil) == (other.key == nil)
        if let mine = key, let key = other.key {
            // Those who ask the App Store name their issuer.
            if mine.issuerID.isExactly(key.issuerID) { self.key = key } else { isAll = false }
        }
        return isAll && environments == other.environments && appAppleID == other.appAppleID && hosts == other.hosts
            && restorePolicy == other.restorePolicy && catalogue == other.catalogue && consumption == other.consumption
    }
}
