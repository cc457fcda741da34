import AppStoreModels
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PythonEnvironment.isEnabled, "\(PythonEnvironment.absence)"))
struct `The models of Apple's Python library` {
    /// What Tests/Interop/read_models.py found in the library.
    private struct Library: Decodable, Sendable {
        struct Body: Decodable, Sendable {
            let name: String
            /// JSON with every member. All enumerations have a listed value, or all an unlisted one.
            let sample: String
            /// What the library writes after it has read the sample; nil if it cannot read it.
            let written: String?
        }

        let models: [Body]
        /// The numbers in `APIError`.
        let errors: [Int64]
    }

    /// Its initializer takes no `signedRenewalInfo`, so the library cannot read a response with one.
    private static let unreadable: Set = ["AdvancedCommerceRequestRefundResponse"]
    /// Requests in which the library allows only listed values.
    private static let closed: Set = [
        "ExtendRenewalDateRequest", "MassExtendRenewalDateRequest", "NotificationHistoryRequest",
    ]

    @Test func `Every body of Apple's library is read and written without a change, with unlisted values too`()
        async throws
    {
        let library: Library = try await PythonEnvironment.run("read_models.py", [String]())
        #expect(Set(library.models.map(\.name)) == Set(Self.types.keys))
        for body in library.models {
            guard let type = Self.types[body.name] else { continue }
            let sample = try JSONValue(body.sample)
            let ours = try rewritten(body.sample, as: type)
            #expect(ours == sample, "\(body.name)")
            if let written = body.written {
                let theirs = try JSONValue(written)
                #expect(theirs == sample, "\(body.name) in Apple's library")
            }
        }
        let unread = Set(library.models.filter { $0.written == nil }.map(\.name))
        #expect(unread == Self.unreadable.union(Self.closed))
    }

    @Test func `Every error code of Apple's library is known`() async throws {
        let library: Library = try await PythonEnvironment.run("read_models.py", [String]())
        #expect(library.errors.count > 80)
        #expect(Set(library.errors).subtracting(APIErrorCode.known.map(\.rawValue)).sorted() == [])
    }

    private func rewritten<Model: Codable>(_ text: String, as type: Model.Type) throws -> JSONValue {
        try JSONValue(JSONEncoder().encode(JSONDecoder().decode(type, from: Data(text.utf8))))
    }
}

// MARK: - Names

extension `The models of Apple's Python library` {
    /// Our types by the names of Apple's.
    private static var types: [String: any Codable.Type] {
        [
            "AdvancedCommerceDescriptors": AdvancedCommerceDescriptors.self,
            "AdvancedCommerceInfo": RetentionAdvancedCommerceInfo.self,
            "AdvancedCommerceOffer": AdvancedCommerceOffer.self,
            "AdvancedCommerceOneTimeChargeCreateRequest": AdvancedCommerceOneTimeChargeCreateRequest.self,
            "AdvancedCommerceOneTimeChargeItem": AdvancedCommerceOneTimeChargeItem.self,
            "AdvancedCommercePriceIncreaseInfo": AdvancedCommercePriceIncreaseInfo.self,
            "AdvancedCommerceRefund": AdvancedCommerceRefund.self,
            "AdvancedCommerceRenewalInfo": AdvancedCommerceRenewalInfo.self,
            "AdvancedCommerceRenewalItem": AdvancedCommerceRenewalItem.self,
            "AdvancedCommerceRequestInfo": AdvancedCommerceRequestInfo.self,
            "AdvancedCommerceRequestRefundItem": AdvancedCommerceRequestRefundItem.self,
            "AdvancedCommerceRequestRefundRequest": AdvancedCommerceRequestRefundRequest.self,
            "AdvancedCommerceRequestRefundResponse": AdvancedCommerceRequestRefundResponse.self,
            "AdvancedCommerceSubscriptionCancelRequest": AdvancedCommerceSubscriptionCancelRequest.self,
            "AdvancedCommerceSubscriptionCancelResponse": AdvancedCommerceSubscriptionCancelResponse.self,
            "AdvancedCommerceSubscriptionChangeMetadataDescriptors":
                AdvancedCommerceSubscriptionChangeMetadataDescriptors.self,
            "AdvancedCommerceSubscriptionChangeMetadataItem": AdvancedCommerceSubscriptionChangeMetadataItem.self,
            "AdvancedCommerceSubscriptionChangeMetadataRequest": AdvancedCommerceSubscriptionChangeMetadataRequest.self,
            "AdvancedCommerceSubscriptionChangeMetadataResponse":
                AdvancedCommerceSubscriptionChangeMetadataResponse.self,
            "AdvancedCommerceSubscriptionCreateItem": AdvancedCommerceSubscriptionCreateItem.self,
            "AdvancedCommerceSubscriptionCreateRequest": AdvancedCommerceSubscriptionCreateRequest.self,
            "AdvancedCommerceSubscriptionMigrateDescriptors": AdvancedCommerceSubscriptionMigrateDescriptors.self,
            "AdvancedCommerceSubscriptionMigrateItem": AdvancedCommerceSubscriptionMigrateItem.self,
            "AdvancedCommerceSubscriptionMigrateRenewalItem": AdvancedCommerceSubscriptionMigrateRenewalItem.self,
            "AdvancedCommerceSubscriptionMigrateRequest": AdvancedCommerceSubscriptionMigrateRequest.self,
            "AdvancedCommerceSubscriptionMigrateResponse": AdvancedCommerceSubscriptionMigrateResponse.self,
            "AdvancedCommerceSubscriptionModifyAddItem": AdvancedCommerceSubscriptionModifyAddItem.self,
            "AdvancedCommerceSubscriptionModifyChangeItem": AdvancedCommerceSubscriptionModifyChangeItem.self,
            "AdvancedCommerceSubscriptionModifyDescriptors": AdvancedCommerceSubscriptionModifyDescriptors.self,
            "AdvancedCommerceSubscriptionModifyInAppRequest": AdvancedCommerceSubscriptionModifyInAppRequest.self,
            "AdvancedCommerceSubscriptionModifyPeriodChange": AdvancedCommerceSubscriptionModifyPeriodChange.self,
            "AdvancedCommerceSubscriptionModifyRemoveItem": AdvancedCommerceSubscriptionModifyRemoveItem.self,
            "AdvancedCommerceSubscriptionPriceChangeItem": AdvancedCommerceSubscriptionPriceChangeItem.self,
            "AdvancedCommerceSubscriptionPriceChangeRequest": AdvancedCommerceSubscriptionPriceChangeRequest.self,
            "AdvancedCommerceSubscriptionPriceChangeResponse": AdvancedCommerceSubscriptionPriceChangeResponse.self,
            "AdvancedCommerceSubscriptionReactivateInAppRequest":
                AdvancedCommerceSubscriptionReactivateInAppRequest.self,
            "AdvancedCommerceSubscriptionReactivateItem": AdvancedCommerceSubscriptionReactivateItem.self,
            "AdvancedCommerceSubscriptionRevokeRequest": AdvancedCommerceSubscriptionRevokeRequest.self,
            "AdvancedCommerceSubscriptionRevokeResponse": AdvancedCommerceSubscriptionRevokeResponse.self,
            "AdvancedCommerceTransactionInfo": AdvancedCommerceTransactionInfo.self,
            "AdvancedCommerceTransactionItem": AdvancedCommerceTransactionItem.self,
            "AlternateProduct": RetentionAlternateProduct.self,
            "AppData": AppData.self,
            "AppTransaction": AppTransaction.self,
            "AppTransactionInfoResponse": AppTransactionInfoResponse.self,
            "BulletPoint": RetentionBulletPoint.self,
            "CheckTestNotificationResponse": CheckTestNotificationResponse.self,
            "ConsumptionRequest": ConsumptionRequest.self,
            "ConsumptionRequestV1": ConsumptionRequestV1.self,
            "Data": NotificationData.self,
            "DecodedRealtimeRequestBody": DecodedRealtimeRequestBody.self,
            "DefaultConfigurationRequest": DefaultConfigurationRequest.self,
            "DefaultConfigurationResponse": DefaultConfigurationResponse.self,
            "ExtendRenewalDateRequest": ExtendRenewalDateRequest.self,
            "ExtendRenewalDateResponse": ExtendRenewalDateResponse.self,
            "ExternalPurchaseToken": ExternalPurchaseToken.self,
            "GetImageListResponse": GetImageListResponse.self,
            "GetImageListResponseItem": GetImageListResponseItem.self,
            "GetMessageListResponse": GetMessageListResponse.self,
            "GetMessageListResponseItem": GetMessageListResponseItem.self,
            "HistoryResponse": HistoryResponse.self,
            "JWSRenewalInfoDecodedPayload": JWSRenewalInfoDecodedPayload.self,
            "JWSTransactionDecodedPayload": JWSTransactionDecodedPayload.self,
            "LastTransactionsItem": LastTransactionsItem.self,
            "MassExtendRenewalDateRequest": MassExtendRenewalDateRequest.self,
            "MassExtendRenewalDateResponse": MassExtendRenewalDateResponse.self,
            "MassExtendRenewalDateStatusResponse": MassExtendRenewalDateStatusResponse.self,
            "Message": RetentionMessage.self,
            "NotificationHistoryRequest": NotificationHistoryRequest.self,
            "NotificationHistoryResponse": NotificationHistoryResponse.self,
            "NotificationHistoryResponseItem": NotificationHistoryResponseItem.self,
            "OrderLookupResponse": OrderLookupResponse.self,
            "PerformanceTestConfig": PerformanceTestConfig.self,
            "PerformanceTestRequest": PerformanceTestRequest.self,
            "PerformanceTestResponse": PerformanceTestResponse.self,
            "PerformanceTestResponseTimes": PerformanceTestResponseTimes.self,
            "PerformanceTestResultResponse": PerformanceTestResultResponse.self,
            "PromotionalOffer": RetentionPromotionalOffer.self,
            "PromotionalOfferSignatureV1": PromotionalOfferSignatureV1.self,
            "RealtimeRequestBody": RealtimeRequestBody.self,
            "RealtimeResponseBody": RealtimeResponseBody.self,
            "RealtimeUrlRequest": RealtimeUrlRequest.self,
            "RealtimeUrlResponse": RealtimeUrlResponse.self,
            "RefundHistoryResponse": RefundHistoryResponse.self,
            "RenewalCommitmentInfo": RenewalCommitmentInfo.self,
            "ResponseBodyV2": ResponseBodyV2.self,
            "ResponseBodyV2DecodedPayload": ResponseBodyV2DecodedPayload.self,
            "SendAttemptItem": SendAttemptItem.self,
            "SendTestNotificationResponse": SendTestNotificationResponse.self,
            "StatusResponse": StatusResponse.self,
            "SubscriptionGroupIdentifierItem": SubscriptionGroupIdentifierItem.self,
            "Summary": NotificationSummary.self,
            "TransactionCommitmentInfo": TransactionCommitmentInfo.self,
            "TransactionInfoResponse": TransactionInfoResponse.self,
            "UpdateAppAccountTokenRequest": UpdateAppAccountTokenRequest.self,
            "UploadMessageImage": UploadMessageImage.self,
            "UploadMessageRequestBody": UploadMessageRequestBody.self,
        ]
    }
}
