internal import AppStoreModels
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
    // A notification has exactly one of these parts. If there are several, use the first in this order, as Apple's
    // libraries do.
    var audience: Audience {
        if let data {
            audience(data.bundleId, data.appAppleId, data.environment)
        } else if let summary {
            audience(summary.bundleId, summary.appAppleId, summary.environment)
        } else if let externalPurchaseToken {
            audience(
                externalPurchaseToken.bundleId, externalPurchaseToken.appAppleId,
                // Tokens have no environment, but sandbox tokens are marked.
                externalPurchaseToken.isSandbox ? .sandbox : .production)
        } else if let appData {
            audience(appData.bundleId, appData.appAppleId, appData.environment)
        } else {
            audience(nil, nil, nil)
        }
    }

    private func audience(_ bundleID: String?, _ appAppleID: Int64?, _ environment: AppStoreEnvironment?) -> Audience {
        Audience(
            signingDate: signedDate, app: .bundle(bundleID, appAppleID: .carried(appAppleID)), environment: environment)
    }
}
