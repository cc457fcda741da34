package import AppStoreModels
package import AppStoreServer
package import AppStoreTrust

/// The kinds of data that the App Store signs.
package enum SignedKind: String, Sendable, CaseIterable, CustomStringConvertible {
    case transaction, renewalInfo, notification, appTransaction, realtimeRequest

    package var description: String { rawValue }
}

extension SignedDataVerifier {
    /// Verifies `text` as one kind of data and returns the trace without the payload.
    package func trace(of text: String, as kind: SignedKind) async throws(VerificationError) -> VerificationTrace {
        switch kind {
        case .transaction: try await transaction(text).trace
        case .renewalInfo: try await renewalInfo(text).trace
        case .notification: try await notification(text).trace
        case .appTransaction: try await appTransaction(text).trace
        case .realtimeRequest: try await realtimeRequest(text).trace
        }
    }
}

/// The members of a payload, each with its JSON text, so that tests can set any value.
package struct Members: Sendable {
    package var fields: [String: String]

    /// The required members of a payload of this kind, for the app and the instant of ``TestStore``.
    package init(_ kind: SignedKind, environment: AppStoreEnvironment = .sandbox) {
        let signed = TestStore.signedDate
        let environment = "\"\(environment.rawValue)\""
        switch kind {
        case .transaction:
            fields = [
                "transactionId": #""2000001092148094""#, "originalTransactionId": #""2000001092134138""#,
                "bundleId": #""com.example.app""#, "productId": #""com.example.app.monthly""#, "purchaseDate": signed,
                "originalPurchaseDate": signed, "quantity": "1", "type": #""Auto-Renewable Subscription""#,
                "inAppOwnershipType": #""PURCHASED""#, "signedDate": signed, "environment": environment,
            ]
        case .renewalInfo:
            fields = [
                "originalTransactionId": #""2000001092134138""#, "productId": #""com.example.app.monthly""#,
                "autoRenewProductId": #""com.example.app.monthly""#, "autoRenewStatus": "1", "signedDate": signed,
                "environment": environment,
            ]
        case .notification:
            fields = [
                "notificationType": #""TEST""#, "notificationUUID": #""8a1b1c7e-6a52-4d1c-9a3c-0a6a5f3b2d10""#,
                "version": #""2.0""#, "signedDate": signed, "data": Self.part(environment: environment),
            ]
        case .appTransaction:
            fields = [
                "receiptType": environment, "appAppleId": TestStore.appAppleId, "bundleId": #""com.example.app""#,
                "receiptCreationDate": signed, "originalPurchaseDate": signed, "originalApplicationVersion": #""1.0""#,
            ]
        case .realtimeRequest:
            fields = [
                "originalTransactionId": #""2000001092134138""#, "appAppleId": TestStore.appAppleId,
                "productId": #""com.example.app.monthly""#, "userLocale": #""en-US""#,
                "requestIdentifier": #""8a1b1c7e-6a52-4d1c-9a3c-0a6a5f3b2d11""#, "environment": environment,
                "signedDate": signed,
            ]
        }
    }

    /// Returns a copy with one member set, or removed if `json` is nil.
    package func with(_ name: String, _ json: String?) -> Members {
        var copy = self
        copy.fields[name] = json
        return copy
    }

    /// The payload as JSON.
    package var json: String {
        "{" + fields.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    /// A notification's `data`.
    package static func part(
        environment: String = #""Sandbox""#, appAppleId: String? = TestStore.appAppleId,
        bundleId: String = "com.example.app"
    ) -> String {
        let number = appAppleId.map { #""appAppleId":\#($0),"# } ?? ""
        return #"{\#(number)"bundleId":"\#(bundleId)","environment":\#(environment)}"#
    }

    /// A notification's `summary`.
    package static func summary(bundleId: String) -> String {
        #"{"appAppleId":\#(TestStore.appAppleId),"bundleId":"\#(bundleId)","environment":"Sandbox","#
            + #""failedCount":0,"productId":"p","requestIdentifier":"r","succeededCount":1}"#
    }

    /// A notification's `externalPurchaseToken`.
    package static func token(id: String, bundleId: String = "com.example.app") -> String {
        #"{"appAppleId":\#(TestStore.appAppleId),"bundleId":"\#(bundleId)","externalPurchaseId":"\#(id)","#
            + #""tokenCreationDate":\#(TestStore.signedDate)}"#
    }

    /// A notification's `appData`.
    package static func appData(bundleId: String) -> String {
        #"{"bundleId":"\#(bundleId)","environment":"Sandbox","signedAppTransactionInfo":"a.b.c"}"#
    }
}
