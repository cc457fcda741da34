package import AppStoreModels

/// Whom a notification is about.
package struct NotificationAudience {
    package var bundleId: String?
    package var environment: AppStoreEnvironment?

    package init(_ payload: ResponseBodyV2DecodedPayload) {
        if let data = payload.data {
            (bundleId, environment) = (data.bundleId, data.environment)
        } else if let summary = payload.summary {
            (bundleId, environment) = (summary.bundleId, summary.environment)
        } else if let token = payload.externalPurchaseToken {
            bundleId = token.bundleId
            // Tokens have no environment; the sandbox marks its own.
            environment = token.externalPurchaseId.hasPrefix("SANDBOX") ? .sandbox : .production
        } else if let appData = payload.appData {
            (bundleId, environment) = (appData.bundleId, appData.environment)
        }
    }
}
