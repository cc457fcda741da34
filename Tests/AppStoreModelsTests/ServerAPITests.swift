import AppStoreModels
import Foundation
import Testing

@Suite struct `Bodies of the App Store Server API` {
    static let uuid = "7e3fb20b-4cdb-47cc-936d-99d65f608138"

    static let examples = [
        Example(ResponseBodyV2.self, #"{"signedPayload": "j"}"#),
        Example(
            HistoryResponse.self,
            """
            {"revision": "r", "hasMore": true, "bundleId": "b", "appAppleId": 1, "environment": "Production",
            "signedTransactions": ["a", "b"]}
            """),
        Example(
            StatusResponse.self,
            """
            {"environment": "Sandbox", "bundleId": "b", "appAppleId": 1, "data": [{"subscriptionGroupIdentifier": "g",
            "lastTransactions": [{"status": 5, "originalTransactionId": "1", "signedTransactionInfo": "t",
            "signedRenewalInfo": "r"}]}]}
            """),
        Example(TransactionInfoResponse.self, #"{"signedTransactionInfo": "t"}"#),
        Example(AppTransactionInfoResponse.self, #"{"signedAppTransactionInfo": "a"}"#),
        Example(OrderLookupResponse.self, #"{"status": 0, "signedTransactions": ["t"]}"#),
        Example(OrderLookupResponse.self, #"{"status": 1}"#),
        Example(RefundHistoryResponse.self, #"{"signedTransactions": [], "revision": "r", "hasMore": false}"#),
        Example(RefundLookupResponse.self, #"{"signedTransactions": ["t"]}"#),
        Example(
            ExtendRenewalDateRequest.self,
            #"{"extendByDays": 90, "extendReasonCode": 3, "requestIdentifier": "r"}"#),
        Example(
            ExtendRenewalDateResponse.self,
            #"{"originalTransactionId": "1", "webOrderLineItemId": "2", "success": true, "effectiveDate": 3}"#),
        Example(ExtendRenewalDateResponse.self, #"{"originalTransactionId": "1", "success": false}"#),
        Example(
            MassExtendRenewalDateRequest.self,
            """
            {"extendByDays": 1, "extendReasonCode": 0, "requestIdentifier": "r", "productId": "p",
            "storefrontCountryCodes": ["USA", "MEX"]}
            """),
        Example(MassExtendRenewalDateResponse.self, #"{"requestIdentifier": "r"}"#),
        Example(
            MassExtendRenewalDateStatusResponse.self,
            """
            {"requestIdentifier": "r", "complete": true, "completeDate": 1, "succeededCount": 30, "failedCount": 2}
            """),
        Example(SendTestNotificationResponse.self, #"{"testNotificationToken": "t"}"#),
        Example(
            CheckTestNotificationResponse.self,
            """
            {"signedPayload": "j", "sendAttempts": [{"attemptDate": 1, "sendAttemptResult": "NO_RESPONSE"}],
            "firstSendAttemptResult": "SSL_ISSUE"}
            """),
        Example(
            NotificationHistoryRequest.self,
            """
            {"startDate": 1, "endDate": 2, "notificationType": "SUBSCRIBED", "notificationSubtype": "INITIAL_BUY",
            "transactionId": "3", "originalTransactionId": "4", "onlyFailures": true}
            """),
        Example(
            NotificationHistoryResponse.self,
            """
            {"paginationToken": "p", "hasMore": true, "notificationHistory": [{"signedPayload": "j",
            "sendAttempts": [{"attemptDate": 1, "sendAttemptResult": "SUCCESS"}],
            "firstSendAttemptResult": "SUCCESS"}]}
            """),
        Example(UpdateAppAccountTokenRequest.self, #"{"appAccountToken": "\#(uuid)"}"#),
        Example(
            ConsumptionRequest.self,
            """
            {"customerConsented": true, "deliveryStatus": "DELIVERED", "sampleContentProvided": false,
            "consumptionPercentage": 50000, "refundPreference": "GRANT_PRORATED"}
            """),
        Example(
            ConsumptionRequestV1.self,
            """
            {"customerConsented": true, "consumptionStatus": 1, "platform": 2, "sampleContentProvided": false,
            "deliveryStatus": 3, "appAccountToken": "\(uuid)", "accountTenure": 4, "playTime": 5,
            "lifetimeDollarsRefunded": 6, "lifetimeDollarsPurchased": 7, "userStatus": 4, "refundPreference": 3}
            """),
        Example(ErrorPayload.self, #"{"errorCode": 4000006, "errorMessage": "Invalid transaction id."}"#),
        Example(ErrorPayload.self, #"{"errorCode": 4000006}"#),
        Example(
            GetCustomerGroupsResponse.self,
            """
            {"groups": [{"groupId": "g", "groupType": "ORGANIZATION", "roles": [{"productId": "p", "role": "ADMIN"}]},
            {"groupId": "h", "groupType": "CONSUMER"}]}
            """),
        Example(
            GetGroupMembersResponse.self,
            #"{"members": [{"appTransactionId": "1"}], "paginationToken": "p", "hasMore": true}"#),
    ]

    @Test(arguments: examples)
    func `A body of the App Store Server API has exactly the documented keys`(_ example: Example) throws {
        #expect(try example.reencode(Data(example.json.utf8)) == JSONValue(example.json))
    }

    @Test func `Unset members are not encoded`() throws {
        let date = try #require(Date(millisecondsSince1970: 1_700_000_000_000))
        #expect(
            try encode(NotificationHistoryRequest(startDate: date, endDate: date))
                == JSONValue(#"{"startDate": 1700000000000, "endDate": 1700000000000}"#))
        #expect(
            try encode(
                ConsumptionRequest(customerConsented: true, deliveryStatus: .delivered, sampleContentProvided: true))
                == JSONValue(
                    #"{"customerConsented": true, "deliveryStatus": "DELIVERED", "sampleContentProvided": true}"#))
    }

    static let consumption = ConsumptionRequestV1(
        customerConsented: true, consumptionStatus: .undeclared, platform: .undeclared, sampleContentProvided: false,
        deliveryStatus: .delivered, accountTenure: .undeclared, playTime: .undeclared,
        lifetimeDollarsRefunded: .undeclared, lifetimeDollarsPurchased: .undeclared, userStatus: .undeclared)

    @Test func `A missing account token in a version 1 consumption request is an empty string`() throws {
        let json = """
            {"customerConsented": true, "consumptionStatus": 0, "platform": 0, "sampleContentProvided": false,
            "deliveryStatus": 0, "appAccountToken": "", "accountTenure": 0, "playTime": 0,
            "lifetimeDollarsRefunded": 0, "lifetimeDollarsPurchased": 0, "userStatus": 0}
            """
        #expect(try encode(Self.consumption) == JSONValue(json))
        #expect(try decode(ConsumptionRequestV1.self, json) == Self.consumption)
        #expect(
            try decode(ConsumptionRequestV1.self, json.replacing("\"appAccountToken\": \"\", ", with: ""))
                == Self.consumption)
    }

    @Test func `An account token that is not a UUID fails to decode`() throws {
        let json = try JSONEncoder().encode(Self.consumption)
        let text = String(decoding: json, as: UTF8.self)
            .replacing("\"appAccountToken\":\"\"", with: "\"appAccountToken\":\"x\"")
        #expect(throws: DecodingError.self) { try decode(ConsumptionRequestV1.self, text) }
        #expect(throws: DecodingError.self) {
            try decode(UpdateAppAccountTokenRequest.self, #"{"appAccountToken": "x"}"#)
        }
        #expect(throws: DecodingError.self) {
            try decode(UpdateAppAccountTokenRequest.self, #"{"appAccountToken": ""}"#)
        }
    }

    @Test func `A notification history item without send attempts decodes`() throws {
        let text = #"{"signedPayload": "j"}"#
        let page = try decode(
            NotificationHistoryResponse.self, #"{"hasMore": false, "notificationHistory": [\#(text)]}"#)
        #expect(page.notificationHistory == [NotificationHistoryResponseItem(signedPayload: "j", sendAttempts: [])])
        #expect(try decode(CheckTestNotificationResponse.self, text).sendAttempts.isEmpty)
    }

    @Test func `An incomplete notification history item does not make the page unreadable`() throws {
        let items =
            #"{"signedPayload": null}, {"signedPayload": "j", "sendAttempts": [{"sendAttemptResult": "OTHER"}]}"#
        let page = try decode(
            NotificationHistoryResponse.self, #"{"hasMore": false, "notificationHistory": [\#(items)]}"#)
        #expect(page.notificationHistory.map(\.signedPayload) == ["", "j"])
        #expect(page.notificationHistory.map(\.sendAttempts.count) == [0, 0])
    }

    @Test func `A notification history item with values of another type does not make the page unreadable`() throws {
        let items = #"{"signedPayload": {"jws": "i"}}, {"signedPayload": "j", "firstSendAttemptResult": {"code": 1}}"#
        let page = try decode(
            NotificationHistoryResponse.self, #"{"hasMore": false, "notificationHistory": [\#(items)]}"#)
        #expect(page.notificationHistory.map(\.signedPayload) == ["", "j"])
        #expect(page.notificationHistory.map(\.firstSendAttemptResult) == [nil, nil])
    }

    @Test func `Product types in a history request have the API's spelling`() {
        let request = TransactionHistoryRequest(productTypes: [.autoRenewable, .nonConsumable], sort: .descending)
        #expect(request.productTypes.map(\.rawValue) == ["AUTO_RENEWABLE", "NON_CONSUMABLE"])
        #expect(request.sort?.rawValue == "DESCENDING")
        #expect(request.productIds.isEmpty && request.revoked == nil)
    }
}
