internal import AppStoreModels
package import Ledger
package import Logging

extension AppEnvironment {
    /// Returns the metadata of a log line about this app and environment, with further values.
    package func logMetadata(_ others: Logger.Metadata) -> Logger.Metadata {
        others.merging(["app": "\(bundleID)", "environment": "\(environment.rawValue)"]) { other, _ in other }
    }
}
