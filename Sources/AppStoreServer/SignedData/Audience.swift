internal import AppStoreModels
internal import Foundation

/// What a payload says about itself: when it was signed, for which app, in which environment.
struct Audience {
    /// How a kind of payload names its app.
    enum AppIdentification {
        /// By its bundle identifier; some kinds add the app's Apple ID in production.
        case bundle(String?, appAppleID: AppleIDRule)
        /// By the app's Apple ID alone.
        case appAppleID(Int64?)
        /// Not at all: renewal information.
        case none
    }

    /// Whether a payload has to carry the app's Apple ID in production.
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
    // Here the receipt's fields play the parts of `signedDate` and `environment`.
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
    // Exactly one part is there; if several were, the first in this order counts, as in Apple's libraries.
    var audience: Audience {
        if let data {
            audience(data.bundleId, data.appAppleId, data.environment)
        } else if let summary {
            audience(summary.bundleId, summary.appAppleId, summary.environment)
        } else if let externalPurchaseToken {
            audience(
                externalPurchaseToken.bundleId, externalPurchaseToken.appAppleId,
                // Tokens have no environment; the sandbox marks its own.
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
