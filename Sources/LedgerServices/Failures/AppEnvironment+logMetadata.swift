internal import AppStoreModels
internal import Ledger
internal import Logging

extension AppEnvironment {
    /// Returns the metadata of a log line about this app and environment, with further values.
    func logMetadata(_ others: Logger.Metadata) -> Logger.Metadata {
        others.merging(["app": "\(bundleID)", "environment": "\(environment.rawValue)"]) { other, _ in other }
    }
}
