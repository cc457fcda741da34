package import AppStoreModels

/// The app and environment that a notification is about.
package struct NotificationAudience {
    package var bundleID: String?
    package var environment: AppStoreEnvironment?

    package init(_ payload: ResponseBodyV2DecodedPayload) {
        if let data = payload.data {
            (bundleID, environment) = (data.bundleId, data.environment)
        } else if let summary = payload.summary {
            (bundleID, environment) = (summary.bundleId, summary.environment)
        } else if let token = payload.externalPurchaseToken {
            bundleID = token.bundleId
            // Tokens have no environment; the sandbox marks its own.
            environment = token.externalPurchaseId.hasPrefix("SANDBOX") ? .sandbox : .production
        } else if let appData = payload.appData {
            (bundleID, environment) = (appData.bundleId, appData.environment)
        }
    }
}
