import AppStoreModels
import Foundation
import Testing

@testable import AppStoreServer

extension WireCase {
    private static let id = UUID(uuid: (0xFE, 0xDC, 0xBA, 0x98, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))
    private static let idText = "fedcba98-0000-4000-8000-000000000001"
    private static let config =
        #"{"maxConcurrentRequests":5,"totalRequests":100,"totalDuration":60000,"responseTimeThreshold":700,"successRateThreshold":98}"#

    static let retention: [WireCase] = [
        WireCase(
            "upload-image", "PUT /inApps/v1/messaging/image/\(idText)?imageSize=BULLET_POINT", body: "png"
        ) { try await $0.uploadImage(Data([0x89, 0x50, 0x4E, 0x47]), id: id, size: .bulletPoint) },
        WireCase("delete-image", "DELETE /inApps/v1/messaging/image/\(idText)") { try await $0.deleteImage(id) },
        WireCase(
            "images", "GET /inApps/v1/messaging/image/list",
            answer:
                #"{"imageIdentifiers":[{"imageIdentifier":"\#(idText)","imageState":"PENDING","imageSize":"FULL_SIZE"}]}"#
        ) {
            let value = try await $0.images().imageIdentifiers.first?.imageIdentifier
            expect(value == id)
        },
        WireCase(
            "upload-message", "PUT /inApps/v1/messaging/message/\(idText)",
            body: #"{"header":"h","body":"b","image":{"imageIdentifier":"\#(idText)","altText":"a"}}"#
        ) {
            let image = UploadMessageImage(imageIdentifier: id, altText: "a")
            try await $0.uploadMessage(UploadMessageRequestBody(header: "h", body: "b", image: image), id: id)
        },
        WireCase("delete-message", "DELETE /inApps/v1/messaging/message/\(idText)") { try await $0.deleteMessage(id) },
        WireCase(
            "messages", "GET /inApps/v1/messaging/message/list",
            answer: #"{"messageIdentifiers":[{"messageIdentifier":"\#(idText)","messageState":"APPROVED"}]}"#
        ) {
            let value = try await $0.messages().messageIdentifiers.first?.messageState
            expect(value == .approved)
        },
        WireCase(
            "set-default-message", "PUT /inApps/v1/messaging/default/p%2F1/en-US",
            body: #"{"messageIdentifier":"\#(idText)"}"#
        ) { try await $0.setDefaultMessage(id, productID: "p/1", locale: "en-US") },
        WireCase(
            "default-message", "GET /inApps/v1/messaging/default/p/en-US",
            answer: #"{"messageIdentifier":"\#(idText)"}"#
        ) {
            let value = try await $0.defaultMessage(productID: "p", locale: "en-US").messageIdentifier
            expect(value == id)
        },
        WireCase("delete-default-message", "DELETE /inApps/v1/messaging/default/p/en-US") {
            try await $0.deleteDefaultMessage(productID: "p", locale: "en-US")
        },
        WireCase(
            "set-realtime-url", "PUT /inApps/v1/messaging/realtime/url", body: #"{"realtimeURL":"https://e.com/a"}"#
        ) { try await $0.setRealtimeURL("https://e.com/a") },
        WireCase(
            "realtime-url", "GET /inApps/v1/messaging/realtime/url", answer: #"{"realtimeURL":"https://e.com/a"}"#
        ) {
            let value = try await $0.realtimeURL().realtimeURL
            expect(value == "https://e.com/a")
        },
        WireCase("delete-realtime-url", "DELETE /inApps/v1/messaging/realtime/url") {
            try await $0.deleteRealtimeURL()
        },
        WireCase(
            "start-performance-test", "POST /inApps/v1/messaging/performanceTest",
            body: #"{"originalTransactionId":"1"}"#, answer: #"{"config":\#(config),"requestId":"r"}"#
        ) {
            let request = PerformanceTestRequest(originalTransactionId: "1")
            let value = try await $0.startPerformanceTest(request).config.responseTimeThreshold
            expect(value == 700)
        },
        WireCase(
            "performance-test", "GET /inApps/v1/messaging/performanceTest/result/r",
            answer:
                #"{"config":\#(config),"target":"https://e.com/a","result":"PASS","successRate":99,"numPending":0,"responseTimes":{"average":1,"p50":1,"p90":2,"p95":3,"p99":4},"failures":{"TIMED_OUT":1}}"#
        ) {
            let value = try await $0.performanceTest("r").failures
            expect(value == [.timedOut: 1])
        },
    ]

    private static let info = AdvancedCommerceRequestInfo(requestReferenceId: id)
    private static let infoText = #""requestInfo":{"requestReferenceId":"\#(idText)"}"#
    private static let signed = #"{"signedRenewalInfo":"r.r.r","signedTransactionInfo":"t.t.t"}"#

    static let advancedCommerce: [WireCase] = [
        WireCase(
            "cancel-subscription", "POST /advancedCommerce/v1/subscription/cancel/1",
            body: #"{\#(infoText),"storefront":"USA"}"#, answer: signed
        ) {
            let request = AdvancedCommerceSubscriptionCancelRequest(requestInfo: info, storefront: "USA")
            let value = try await $0.cancelSubscription("1", request).signedRenewalInfo
            expect(value == "r.r.r")
        },
        WireCase(
            "change-subscription-metadata", "POST /advancedCommerce/v1/subscription/changeMetadata/1",
            body: #"{\#(infoText),"items":[{"currentSKU":"s","effective":"IMMEDIATELY","displayName":"n"}]}"#,
            answer: signed
        ) {
            let item = AdvancedCommerceSubscriptionChangeMetadataItem(
                currentSKU: "s", effective: .immediately, displayName: "n")
            let request = AdvancedCommerceSubscriptionChangeMetadataRequest(requestInfo: info, items: [item])
            let value = try await $0.changeSubscriptionMetadata("1", request).signedRenewalInfo
            expect(value == "r.r.r")
        },
        WireCase(
            "change-subscription-price", "POST /advancedCommerce/v1/subscription/changePrice/1",
            body: #"{\#(infoText),"items":[{"SKU":"s","price":4990}],"currency":"USD"}"#, answer: signed
        ) {
            let item = AdvancedCommerceSubscriptionPriceChangeItem(sku: "s", price: 4990)
            let request = AdvancedCommerceSubscriptionPriceChangeRequest(
                requestInfo: info, items: [item], currency: "USD")
            let value = try await $0.changeSubscriptionPrice("1", request).signedRenewalInfo
            expect(value == "r.r.r")
        },
        WireCase(
            "migrate-subscription", "POST /advancedCommerce/v1/subscription/migrate/1",
            body:
                #"{\#(infoText),"descriptors":{"description":"d","displayName":"n"},"items":[{"SKU":"s","description":"d","displayName":"n"}],"targetProductId":"p","taxCode":"C003-00-2"}"#,
            answer: signed
        ) {
            let request = AdvancedCommerceSubscriptionMigrateRequest(
                requestInfo: info,
                descriptors: AdvancedCommerceSubscriptionMigrateDescriptors(description: "d", displayName: "n"),
                items: [AdvancedCommerceSubscriptionMigrateItem(sku: "s", description: "d", displayName: "n")],
                targetProductId: "p", taxCode: "C003-00-2")
            let value = try await $0.migrateSubscription("1", request).signedRenewalInfo
            expect(value == "r.r.r")
        },
        WireCase(
            "request-refund", "POST /advancedCommerce/v1/transaction/requestRefund/1",
            body:
                #"{\#(infoText),"items":[{"SKU":"s","refundReason":"LEGAL","refundType":"CUSTOM","revoke":true,"refundAmount":1990}],"refundRiskingPreference":true}"#,
            answer: #"{"signedTransactionInfo":"t.t.t"}"#
        ) {
            let item = AdvancedCommerceRequestRefundItem(
                sku: "s", refundReason: .legal, refundType: .custom, revoke: true, refundAmount: 1990)
            let request = AdvancedCommerceRequestRefundRequest(
                requestInfo: info, items: [item], refundRiskingPreference: true)
            let value = try await $0.requestRefund("1", request).signedRenewalInfo
            expect(value == nil)
        },
        WireCase(
            "revoke-subscription", "POST /advancedCommerce/v1/subscription/revoke/1",
            body: #"{\#(infoText),"refundReason":"OTHER","refundRiskingPreference":false,"refundType":"PRORATED"}"#,
            answer: signed
        ) {
            let request = AdvancedCommerceSubscriptionRevokeRequest(
                requestInfo: info, refundReason: .other, refundRiskingPreference: false, refundType: .prorated)
            let value = try await $0.revokeSubscription("1", request).signedTransactionInfo
            expect(value == "t.t.t")
        },
    ]
}
