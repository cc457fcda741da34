import AppStoreModels
import Foundation
import StoreSimulator
import Testing

@Suite("Requests of the Advanced Commerce API")
struct AdvancedCommerceChecksTests {
    typealias Row = AdvancedCommerceSample.Row
    static let long = String(repeating: "x", count: 129)

    /// Violations of the rules that apply to every request.
    static let common = AdvancedCommerceSample.Request.allCases.flatMap { request in
        [
            Row(.nullRequestInfo, request, #""requestInfo""#, #""info""#),
            Row(.nullRequestReferenceID, request, #""requestReferenceId""#, #""id""#),
            Row(.invalidRequestReferenceID, request, "7e3fb20b-", ""),
            Row(.invalidAppAccountToken, request, #""appAccountToken":"""#, #""appAccountToken":"x""#),
            Row(.invalidConsistencyToken, request, #""consistencyToken":"c""#, #""consistencyToken":"""#),
            Row(.invalidConsistencyToken, request, #""consistencyToken":"c""#, #""consistencyToken":1"#),
            Row(.invalidStorefrontCountryCode, request, "USA", "usa"),
            Row(.malformedPayload, request, "{", "{{"), Row(.malformedPayload, request, "{", #"{"storefront":"USA","#),
        ]
    }

    static let server = [
        Row(.nullEffective, .metadata, #""effective":"IMMEDIATELY","#, ""),
        Row(.malformedPayload, .metadata, "IMMEDIATELY", "SOON"),
        Row(.atLeastOneOfDisplayNameOrDescription, .metadata, "," + AdvancedCommerceSample.names, ""),
        Row(.displayNameLengthExceeded, .metadata, #":"n""#, #":"\#(long.prefix(31))""#),
        Row(.descriptionLengthExceeded, .metadata, #":"d""#, #":"\#(long.prefix(46))""#),
        Row(.invalidDisplayName, .metadata, #":"n""#, #":"""#), Row(.invalidDescription, .metadata, #":"d""#, ":1"),
        Row(.invalidTaxProductCode, .metadata, "C003-00-2", ""), Row(.invalidTaxProductCode, .metadata, "C003", "c003"),
        Row(.skuLengthExceeded, .metadata, #""SKU":"b""#, #""SKU":"\#(long)""#),
        Row(.skuLengthExceeded, .metadata, #""currentSKU":"a""#, #""currentSKU":"\#(long)""#),
        Row(.invalidSKU, .metadata, #""SKU":"b""#, #""SKU":"""#),
        Row(.invalidSKU, .metadata, #""currentSKU":"a","#, ""),
        Row(.invalidProductChanges, .metadata, #","SKU":"b""#, ""),
        Row(
            .invalidProductChanges, .metadata, "}]",
            #"},{"currentSKU":"a","effective":"IMMEDIATELY","SKU":"c"}]"#),
        Row(.atLeastOneItem, .metadata, #"[{"currentSKU":"a","effective":"NEXT_BILL_CYCLE","SKU":"b"}]"#, "[]"),
        Row(.malformedPayload, .metadata, "[{", "[null,{"),
        Row(.nullItems, .price, #""items""#, #""products""#), Row(.nullSKU, .price, #""SKU":"a","#, ""),
        Row(.invalidSKU, .price, #"["c"]"#, #"[""]"#), Row(.skuLengthExceeded, .price, #"["c"]"#, "[\"\(long)\"]"),
        Row(.invalidCurrency, .price, "USD", "$"), Row(.negativePrice, .price, ":10", ":-1"),
        Row(.malformedPayload, .price, ":10", ":1.5"), Row(.malformedPayload, .price, #""price":10,"#, ""),
        Row(.itemCannotBeSpecifiedMultipleTimes, .price, #""SKU":"b""#, #""SKU":"a""#),
        Row(.dependentSKUsCannotBeShared, .price, #""price":0"#, #""price":0,"dependentSKUs":["c"]"#),
        Row(.dependentSKUsCannotBeChained, .price, #""price":0"#, #""price":0,"dependentSKUs":["a"]"#),
        Row(.nullTaxCode, .migrate, #""taxCode""#, #""tax""#), Row(.nullItems, .migrate, #""items""#, #""products""#),
        Row(.atLeastOneItem, .migrate, #"[{"SKU":"a",\#(AdvancedCommerceSample.names)}]"#, "[]"),
        Row(.atLeastOneItem, .migrate, #""taxCode""#, #""renewalItems":[],"taxCode""#),
        Row(.nullDescriptors, .migrate, #""descriptors""#, #""names""#), Row(.nullSKU, .migrate, #""SKU":"a","#, ""),
        Row(.nullDisplayName, .migrate, #""displayName":"n","#, ""),
        Row(.nullDescription, .migrate, #","description":"d""#, ""),
        Row(.nullTargetProductID, .migrate, #""targetProductId""#, #""target""#),
        Row(.invalidTargetProductID, .migrate, #":"p""#, #":"""#),
        Row(.invalidSKU, .migrate, "[{", #"[{"SKU":"a",\#(AdvancedCommerceSample.names)},{"#),
    ]

    static let refunds = [
        Row(.nullRefundRisking, .refund, #""refundRiskingPreference":true,"#, ""),
        Row(.malformedPayload, .refund, #""items""#, #""products""#),
        Row(.malformedPayload, .refund, #""SKU":"b""#, #""SKU":"a""#),
        Row(.malformedPayload, .refund, #""revoke":true,"#, ""),
        Row(.malformedPayload, .refund, #""refundAmount":1"#, #""refundAmount":2147483648"#),
        Row(.nullRefundReason, .refund, #""refundReason":"LEGAL","#, ""),
        Row(.invalidRefundReason, .refund, "LEGAL", "BECAUSE"),
        Row(.nullRefundType, .refund, #""refundType":"CUSTOM","#, ""),
        Row(.invalidRefundType, .refund, "CUSTOM", "HALF"),
        Row(.nullRefundAmount, .refund, #","refundAmount":1"#, ""),
        Row(.negativeRefundAmount, .refund, #""refundAmount":1"#, #""refundAmount":-1"#),
        Row(.refundAmountWithoutCustom, .refund, "CUSTOM", "PRORATED"),
        Row(.partialSimulateRefundDecline, .refund, "LEGAL", "SIMULATE_REFUND_DECLINE"),
        Row(.simulateRefundDeclineOnlyInSandbox, .refund, "LEGAL", "SIMULATE_REFUND_DECLINE", in: .production),
        Row(.simulateRefundDeclineOnlyInSandbox, .revoke, "OTHER", "SIMULATE_REFUND_DECLINE", in: .production),
        Row(.nullRefundRisking, .revoke, ":true", #":"yes""#), Row(.nullRefundAmount, .revoke, "FULL", "CUSTOM"),
        Row(.invalidRefundType, .revoke, #""FULL""#, #""CUSTOM","refundAmount":1"#),
        Row(.refundAmountWithoutCustom, .revoke, #""FULL""#, #""FULL","refundAmount":1"#),
    ]

    @Test(arguments: AdvancedCommerceSample.Request.allCases)
    func `Valid Advanced Commerce requests pass the checks in both environments`(
        _ request: AdvancedCommerceSample.Request
    ) throws {
        for environment in [AppStoreEnvironment.sandbox, .production] {
            try AdvancedCommerceSample.check(request, AdvancedCommerceSample.json(request), in: environment)
        }
    }

    @Test(arguments: common + server + refunds)
    func `An Advanced Commerce request fails with the documented code of the rule it breaks`(_ row: Row) throws {
        #expect(try code { try row.check() } == row.code)
    }

    @Test func `A checked refund request is returned as a model`() throws {
        let checks = AdvancedCommerceChecks(environment: .sandbox)
        let request = try checks.requestRefund(Array(AdvancedCommerceSample.json(.refund).utf8))
        #expect(request.items.map(\.sku) == ["a", "b"])
        #expect(request.items.first?.refundAmount == 1)
        #expect(request.requestInfo.appAccountToken == nil)
    }

    @Test func `A sandbox refund request may simulate a decline when all of its items do`() throws {
        let json = AdvancedCommerceSample.json(.refund).replacing("LEGAL", with: "SIMULATE_REFUND_DECLINE")
        try AdvancedCommerceSample.check(.refund, json)
    }

    @Test func `A transaction ID that is not a number of at most 32 digits is refused`() throws {
        #expect(try AdvancedCommerceChecks.transactionID("2000000000000001") == "2000000000000001")
        for text in ["", "x", "-1", "1.5", "１", String(repeating: "1", count: 33)] {
            #expect(try code { try AdvancedCommerceChecks.transactionID(text) } == .invalidTransactionId)
        }
    }
}
