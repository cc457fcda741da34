import AppStoreModels
import Foundation
import Testing

@testable import AppStoreServer

extension WireCase {
    private static let start = Date(timeIntervalSince1970: 1_698_148_900.123)
    private static let end = Date(timeIntervalSince1970: 1_698_148_950)
    private static let account = UUID(uuid: (0xFE, 0xDC, 0xBA, 0x98, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))
    private static let history =
        #"{"revision":"r","hasMore":false,"bundleId":"b","environment":"Production","signedTransactions":["a.b.c"]}"#
    private static let historyQuery =
        "startDate=1698148900123&endDate=1698148950000&productId=p%201&productId=p2&productType=AUTO_RENEWABLE"
        + "&productType=CONSUMABLE&sort=ASCENDING&subscriptionGroupIdentifier=g1&subscriptionGroupIdentifier=g2"
        + "&inAppOwnershipType=PURCHASED&revoked=false&revision=rev%2B%2F%3D"

    private static let request = TransactionHistoryRequest(
        startDate: start, endDate: end, productIds: ["p 1", "p2"], productTypes: [.autoRenewable, .consumable],
        sort: .ascending, subscriptionGroupIdentifiers: ["g1", "g2"], inAppOwnershipType: .purchased, revoked: false)

    static let server: [WireCase] = [
        WireCase("transaction-history", "GET /inApps/v2/history/1?\(historyQuery)", answer: history) {
            var all: [String] = []
            for try await page in $0.transactionHistory(of: "1", request, after: "rev+/=") {
                all += page.signedTransactions
            }
            expect(all == ["a.b.c"])
        },
        WireCase("transaction-history-v1", "GET /inApps/v1/history/1", answer: history) {
            for try await page in $0.transactionHistoryV1(of: "1") { expect(page.nextPage == "r") }
        },
        WireCase(
            "subscription-statuses", "GET /inApps/v1/subscriptions/1?status=1&status=4",
            answer: #"{"environment":"Production","bundleId":"b","appAppleId":7,"data":[]}"#
        ) {
            let value = try await $0.subscriptionStatuses(of: "1", in: [.active, .billingGracePeriod]).appAppleId
            expect(value == 7)
        },
        WireCase(
            "transaction", "GET /inApps/v1/transactions/1", answer: #"{"signedTransactionInfo":"a.b.c","new":[1]}"#
        ) {
            let value = try await $0.transaction("1").signedTransactionInfo
            expect(value == "a.b.c")
        },
        WireCase(
            "app-transaction", "GET /inApps/v1/transactions/appTransactions/1",
            answer: #"{"signedAppTransactionInfo":"a.b.c"}"#
        ) {
            let value = try await $0.appTransaction(of: "1").signedAppTransactionInfo
            expect(value == "a.b.c")
        },
        WireCase("finish-transaction", "POST /inApps/v1/transactions/1/finish") { try await $0.finishTransaction("1") },
        WireCase(
            "set-app-account-token", "PUT /inApps/v1/transactions/1/appAccountToken",
            body: #"{"appAccountToken":"fedcba98-0000-4000-8000-000000000001"}"#
        ) { try await $0.setAppAccountToken(account, of: "1") },
        WireCase(
            "send-consumption", "PUT /inApps/v2/transactions/consumption/1",
            body:
                #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false,"consumptionPercentage":50000,"refundPreference":"DECLINE"}"#,
            status: 202
        ) {
            try await $0.sendConsumption(
                ConsumptionRequest(
                    customerConsented: true, deliveryStatus: .delivered, sampleContentProvided: false,
                    consumptionPercentage: 50_000, refundPreference: .decline), for: "1")
        },
        WireCase(
            "send-consumption-v1", "PUT /inApps/v1/transactions/consumption/1",
            body:
                #"{"customerConsented":true,"consumptionStatus":1,"platform":2,"sampleContentProvided":false,"deliveryStatus":3,"appAccountToken":"","accountTenure":4,"playTime":5,"lifetimeDollarsRefunded":6,"lifetimeDollarsPurchased":7,"userStatus":4,"refundPreference":3}"#,
            status: 202
        ) {
            try await $0.sendConsumptionV1(
                ConsumptionRequestV1(
                    customerConsented: true, consumptionStatus: .notConsumed, platform: .nonApple,
                    sampleContentProvided: false, deliveryStatus: .serverOutage, accountTenure: .upTo90Days,
                    playTime: .upTo4Days, lifetimeDollarsRefunded: .under2000, lifetimeDollarsPurchased: .from2000,
                    userStatus: .limitedAccess, refundPreference: .noPreference), for: "1")
        },
        WireCase("order", "GET /inApps/v1/lookup/W002182", answer: #"{"status":1}"#) {
            let value = try await $0.order("W002182").status
            expect(value == .invalid)
        },
        WireCase(
            "refund-history", "GET /inApps/v2/refund/lookup/1?revision=r0",
            answer: #"{"signedTransactions":[],"revision":"r1","hasMore":false}"#
        ) { for try await page in $0.refundHistory(of: "1", after: "r0") { expect(page.nextPage == "r1") } },
        WireCase(
            "refund-history-v1", "GET /inApps/v1/refund/lookup/1", answer: #"{"signedTransactions":["a.b.c"]}"#
        ) {
            let value = try await $0.refundHistoryV1(of: "1").signedTransactions
            expect(value == ["a.b.c"])
        },
        WireCase(
            "extend-renewal-date", "PUT /inApps/v1/subscriptions/extend/1",
            body: #"{"extendByDays":45,"extendReasonCode":1,"requestIdentifier":"id"}"#,
            answer:
                #"{"originalTransactionId":"1","webOrderLineItemId":"2","success":true,"effectiveDate":1698148900000}"#
        ) {
            let request = ExtendRenewalDateRequest(
                extendByDays: 45, extendReasonCode: .customerSatisfaction, requestIdentifier: "id")
            let value = try await $0.extendRenewalDate(of: "1", request).effectiveDate
            expect(value == Date(timeIntervalSince1970: 1_698_148_900))
        },
        WireCase(
            "extend-renewal-dates", "POST /inApps/v1/subscriptions/extend/mass",
            body:
                #"{"extendByDays":45,"extendReasonCode":3,"requestIdentifier":"id","productId":"p","storefrontCountryCodes":["USA"]}"#,
            answer: #"{"requestIdentifier":"id"}"#
        ) {
            let request = MassExtendRenewalDateRequest(
                extendByDays: 45, extendReasonCode: .serviceIssueOrOutage, requestIdentifier: "id", productId: "p",
                storefrontCountryCodes: ["USA"])
            let value = try await $0.extendRenewalDates(request).requestIdentifier
            expect(value == "id")
        },
        WireCase(
            "renewal-extension-status", "GET /inApps/v1/subscriptions/extend/mass/product/id",
            answer: #"{"requestIdentifier":"id","complete":true,"completeDate":1698148900000,"succeededCount":3}"#
        ) {
            let value = try await $0.renewalExtensionStatus(of: "product", requestIdentifier: "id").succeededCount
            expect(value == 3)
        },
        WireCase(
            "request-test-notification", "POST /inApps/v1/notifications/test",
            answer: #"{"testNotificationToken":"t"}"#
        ) {
            let value = try await $0.requestTestNotification().testNotificationToken
            expect(value == "t")
        },
        WireCase(
            "test-notification", "GET /inApps/v1/notifications/test/t_1",
            answer:
                #"{"signedPayload":"a.b.c","sendAttempts":[{"attemptDate":1698148900000,"sendAttemptResult":"NEW"}]}"#
        ) {
            let value = try await $0.testNotification("t_1").sendAttempts.first?.sendAttemptResult.rawValue
            expect(value == "NEW")
        },
        WireCase(
            "notification-history", "POST /inApps/v1/notifications/history?paginationToken=t%3D",
            body:
                #"{"startDate":1698148900123,"endDate":1698148950000,"notificationType":"SUBSCRIBED","notificationSubtype":"INITIAL_BUY","onlyFailures":true}"#,
            answer: #"{"hasMore":false,"notificationHistory":[{"signedPayload":"a.b.c","sendAttempts":[]}]}"#
        ) {
            let request = NotificationHistoryRequest(
                startDate: start, endDate: end, notificationType: .subscribed, notificationSubtype: .initialBuy,
                onlyFailures: true)
            for try await item in $0.notificationHistory(request, after: "t=").items {
                expect(item.signedPayload == "a.b.c")
            }
        },
        WireCase(
            "customer-groups", "GET /groups/v1/currentGroups/1",
            answer:
                #"{"groups":[{"groupId":"9","groupType":"ORGANIZATION","roles":[{"productId":"p","role":"ADMIN"}]}]}"#
        ) {
            let value = try await $0.customerGroups(of: "1").groups.first?.roles?.first?.role
            expect(value == .admin)
        },
        WireCase(
            "group-members", "GET /groups/v1/group/9?paginationToken=t&limit=100",
            answer: #"{"members":[{"appTransactionId":"7"}],"hasMore":false}"#
        ) {
            for try await member in $0.groupMembers(of: "9", limit: 100, after: "t").items {
                expect(member.appTransactionId == "7")
            }
        },
    ]
}
