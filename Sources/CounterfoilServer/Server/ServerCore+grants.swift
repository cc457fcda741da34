internal import AppStoreModels
internal import Entitlements
internal import Ledger
internal import LedgerServices
internal import Logging

extension ServerCore {
    /// Logs a warning for each app and environment with running grants of entitlements that the configuration lacks, as
    /// after a change of a name: the API does not return these entitlements.
    func warnAboutUnknownGrants() async {
        for appEnvironment in scopes.all {
            guard let names = apps[appEnvironment.bundleID]?.catalogue.entitlements.keys else { continue }
            do {
                let granted = try await storage.grantedEntitlements(in: appEnvironment.id, at: now.milliseconds)
                let unknown = granted.filter { !names.containsExactly($0) }
                guard !unknown.isEmpty else { continue }
                logger.warning(
                    "running grants give entitlements that the configuration does not have",
                    metadata: appEnvironment.logMetadata(["entitlements": "\(unknown.joined(separator: ", "))"]))
            } catch {
                logger.warning(
                    "the entitlements of the running grants could not be read",
                    metadata: appEnvironment.logMetadata(["reason": "\(error.logReason)"]))
            }
        }
    }
}
