package import AppStoreModels
internal import Foundation

/// The signing date, the app and the environment of a payload, according to the payload.
struct Audience {
    /// How a kind of payload identifies its app.
    enum AppIdentification {
        /// By the bundle identifier. Some kinds also contain the app's Apple ID in production.
        case bundle(String?, appAppleID: AppleIDRule)
        /// Only by the app's Apple ID.
        case appAppleID(Int64?)
        /// Not at all, as in renewal information.
        case none
    }

    /// Whether a kind of payload contains the app's Apple ID in production.
    enum AppleIDRule {
        case notCarried
        case carried(Int64?)
    }

    let signingDate: Date?
    let app: AppIdentification
    let environment: AppStoreEnvironment?
}

/// A payload that the App Store signs.
protocol SignedPayload: Decodable, Sendable {
    var audience: Audience { get }
}

extension JWSTransactionDecodedPayload: SignedPayload {
    var audience: Audience {
        Audience(signingDate: signedDate, app: .bundle(bundleId, appAppleID: .notCarried), environment: environment)
    }
}

extension JWSRenewalInfoDecodedPayload: SignedPayload {
    var audience: Audience { Audience(signingDate: signedDate, app: .none, environment: environment) }
}

extension AppTransaction: SignedPayload {
    // `receiptCreationDate` and `receiptType` correspond to `signedDate` and `environment`.
    var audience: Audience {
        Audience(
            signingDate: receiptCreationDate, app: .bundle(bundleId, appAppleID: .carried(appAppleId)),
            environment: receiptType)
    }
}

extension DecodedRealtimeRequestBody: SignedPayload {
    var audience: Audience {
        Audience(signingDate: signedDate, app: .appAppleID(appAppleId), environment: environment)
    }
}

extension ResponseBodyV2DecodedPayload: SignedPayload {
    /// The app and environment that a notification names. It has exactly one of these parts. If there are several, use
    /// the first in this order, as Apple's libraries do. Nil if it has none that this version knows.
    package var namedApp: (bundleID: String, appAppleID: Int64?, environment: AppStoreEnvironment)? {
        if let data { return (data.bundleId, data.appAppleId, data.environment) }
        if let summary { return (summary.bundleId, summary.appAppleId, summary.environment) }
        if let token = externalPurchaseToken {
            // Tokens have no environment, but sandbox tokens are marked.
            return (token.bundleId, token.appAppleId, token.isSandbox ? .sandbox : .production)
        }
        return appData.map { ($0.bundleId, $0.appAppleId, $0.environment) }
    }

    var audience: Audience {
        let app = namedApp
        return Audience(
            signingDate: signedDate, app: .bundle(app?.bundleID, appAppleID: .carried(app?.appAppleID)),
            environment: app?.environment)
    }
}
