internal import AppStoreServer
internal import AppStoreTrust
internal import LedgerServices

extension ServerConfiguration {
    /// Returns a verifier of the signed data of the apps.
    func verifier(
        validationTime: ValidationTime, _ clock: ServerClock,
        _ metrics: ServerMetrics = ServerMetrics(PrometheusMetrics())
    ) throws -> SignedDataVerifier {
        var options = SignedDataVerifier.Configuration(apps: acceptedApps)
        options.anchors = trust.anchors
        options.validationTime = validationTime
        options.now = clock.now
        if trust.revocation != .off {
            var revocation = RevocationOptions(policy: trust.revocation)
            revocation.transport = MeasuredRevocation(revocation.transport, metrics: metrics)
            revocation.allowedHosts.formUnion(trust.revocationHosts)
            options.revocation = revocation
        }
        return try SignedDataVerifier(options)
    }
}
