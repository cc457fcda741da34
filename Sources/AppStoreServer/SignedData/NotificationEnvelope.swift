package import AppStoreModels
internal import Basics
package import Foundation

/// The members of a notification that the server needs to store it.
///
/// They are readable also if another member is not what this version expects, or if the notification has a part that
/// this version does not know.
package struct NotificationEnvelope: Sendable {
    package let type: NotificationTypeV2
    /// Nil also if it is not a text.
    package let subtype: NotificationSubtype?
    package let uuid: String
    package let signedDate: Date
    package let bundleID: String
    package let environment: AppStoreEnvironment
    let appAppleID: Int64?
}

extension NotificationEnvelope {
    /// Creates the envelope of a payload; nil if no part that this version knows names an app.
    init?(_ payload: ResponseBodyV2DecodedPayload) {
        guard let app = payload.namedApp else { return nil }
        self.init(
            type: payload.notificationType, subtype: payload.subtype, uuid: payload.notificationUUID,
            signedDate: payload.signedDate, bundleID: app.bundleID, environment: app.environment,
            appAppleID: app.appAppleID)
    }
}

extension NotificationEnvelope: SignedPayload {
    var audience: Audience {
        Audience(
            signingDate: signedDate, app: .bundle(bundleID, appAppleID: .carried(appAppleID)),
            environment: environment)
    }

    private enum Member: String, CodingKey { case notificationType, subtype, notificationUUID, signedDate }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        type = NotificationTypeV2(rawValue: try members.decode(String.self, forKey: .notificationType))
        subtype = members.readable(String.self, .subtype).map { NotificationSubtype(rawValue: $0) }
        uuid = try members.decode(String.self, forKey: .notificationUUID)
        signedDate = try members.decodeMilliseconds(forKey: .signedDate)
        let parts = try decoder.container(keyedBy: JSONName.self)
        // The same order as in `namedApp`, then the parts that this version does not know.
        let known = ["data", "summary", "externalPurchaseToken", "appData"].map { JSONName(stringValue: $0) }
        let others = parts.allKeys.sorted { $0.stringValue < $1.stringValue }
        guard let part = (known + others).lazy.compactMap({ parts.readable(Part.self, $0) }).first else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "no part names an app"))
        }
        (bundleID, environment, appAppleID) = (part.bundleID, part.environment, part.appAppleID)
    }

    /// A part of a notification that names the app, such as `data`.
    private struct Part: Decodable {
        let bundleID: String
        let environment: AppStoreEnvironment
        let appAppleID: Int64?

        private enum Member: String, CodingKey { case bundleId, environment, appAppleId, externalPurchaseId }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Member.self)
            bundleID = try members.decode(String.self, forKey: .bundleId)
            appAppleID =
                members.readable(Int64.self, .appAppleId)
                ?? members.readable(String.self, .appAppleId).flatMap { Int64($0) }
            if let name = members.readable(String.self, .environment) {
                environment = AppStoreEnvironment(rawValue: name)
            } else {
                // Tokens have no environment, but sandbox tokens are marked.
                let token = try members.decode(String.self, forKey: .externalPurchaseId)
                environment = ExternalPurchaseToken.isSandbox(token) ? .sandbox : .production
            }
        }
    }
}
