import AppStoreModels
import Foundation
import TestSupport
import Testing

@Suite struct `The code of the articles` {
    @Test func `Every line of code in the articles occurs in this file`() throws {
        #expect(try Articles.uncompiled(of: "AppStoreModels", in: #filePath) == [])
    }

    /// Stands for the reader's own logger, with the method of swift-log that the articles call.
    private struct ReaderLogger {
        func notice(_ message: String, metadata: [String: String]) {}
    }

    @Test(arguments: [("REFUND", "revoked"), ("DID_RENEW", "granted"), ("SOMETHING_NEW", "ignored")])
    func `The articles' code decodes types that are not listed`(_ type: String, _ expected: String) throws {
        let logger = ReaderLogger()
        var result = "ignored"
        func revokeAccess(_ payload: ResponseBodyV2DecodedPayload) { result = "revoked" }
        func grantAccess(_ payload: ResponseBodyV2DecodedPayload) { result = "granted" }
        let json = Data(
            #"{"notificationType":"\#(type)","notificationUUID":"1","version":"2.0","signedDate":1}"#.utf8)

        let payload = try JSONDecoder().decode(ResponseBodyV2DecodedPayload.self, from: json)
        switch payload.notificationType {
        case .refund, .revoke: revokeAccess(payload)
        case .subscribed, .didRenew: grantAccess(payload)
        default: logger.notice("Ignored a notification", metadata: ["type": "\(payload.notificationType)"])
        }
        #expect(result == expected)

        let soon = NotificationTypeV2(rawValue: "SOMETHING_NEW")
        #expect((payload.notificationType == soon) == (expected == "ignored"))
    }

    @Test func `The articles' code converts a price`() {
        let price: Int64 = 1990
        let amount = Decimal(thousandths: price)
        #expect(amount == Decimal(string: "1.99"))
    }
}
