internal import AppStoreModels
internal import LedgerServices

extension ServerConfiguration {
    /// Applies those settings of another configuration that can change while the server runs: keys, webhooks, secrets
    /// and the TLS files.
    ///
    /// - Returns: The resulting configuration, and the names of changed settings that take effect only after a restart.
    package func applying(_ other: ServerConfiguration) -> (applied: ServerConfiguration, pending: [String]) {
        var (applied, pending) = (self, [String]())
        (applied.keys, applied.webhooks) = (other.keys, other.webhooks)
        if listen.tls != nil, let tls = other.listen.tls { applied.listen.tls = tls }
        for index in applied.apps.indices {
            let name = applied.apps[index].bundleID
            guard let app = other.app(name) else {
                applied.apps[index].endSecrets()
                continue
            }
            if !applied.apps[index].apply(app) { pending.append("apps \(name)") }
        }
        if other.apps.map({ ExactText($0.bundleID) }) != apps.map({ ExactText($0.bundleID) }) { pending.append("apps") }
        if applied.listen != other.listen { pending.append("listen") }
        if applied.trust != other.trust { pending.append("trust") }
        if applied.storage != other.storage { pending.append("storage") }
        if applied.recovery != other.recovery { pending.append("recovery") }
        if applied.limits != other.limits { pending.append("limits") }
        if applied.log != other.log { pending.append("log") }
        if !applied.console.isSame(as: other.console) { pending.append("console") }
        if applied.clock != other.clock { pending.append("clock") }
        applied.origins = applied.origins(applying: other, to: self)
        return (applied, pending)
    }
}

extension ServerConfiguration.App {
    /// Removes the secrets that users of this app have or whose tokens they have: the file no longer has the app, which
    /// itself stays until the next start.
    fileprivate mutating func endSecrets() {
        (publicOffers, sharedSecrets, customerTokenSecret, formerCustomerTokenSecret) = ([], [], nil, nil)
    }

    /// Applies the keys and secrets of a new version of this app's settings. Returns false if other settings differ
    /// too.
    fileprivate mutating func apply(_ other: Self) -> Bool {
        (publicOffers, sharedSecrets) = (other.publicOffers, other.sharedSecrets)
        (customerTokenSecret, formerCustomerTokenSecret) = (other.customerTokenSecret, other.formerCustomerTokenSecret)
        responseSigningKey = other.responseSigningKey
        offerKey = other.offerKey
        var isFullyApplied = (key == nil) == (other.key == nil)
        if let mine = key, let key = other.key {
            // Running App Store clients use the issuer of their start, so a different issuer needs a restart.
            if mine.issuerID.isExactly(key.issuerID) { self.key = key } else { isFullyApplied = false }
        }
        return isFullyApplied && environments == other.environments && appAppleID == other.appAppleID
            && hosts == other.hosts
            && restorePolicy == other.restorePolicy && catalogue == other.catalogue && consumption == other.consumption
    }
}
