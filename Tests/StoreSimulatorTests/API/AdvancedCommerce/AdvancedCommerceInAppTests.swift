import AppStoreModels
import StoreSimulator
import Testing

@Suite struct `In-app requests of the Advanced Commerce API` {
    typealias Row = AdvancedCommerceSample.Row
    static let long = AdvancedCommerceChecksTests.long
    static let names = AdvancedCommerceSample.names
    static let change = AdvancedCommerceSample.change

    static let create = [
        Row(.invalidOperation, .create, "CREATE_SUBSCRIPTION", "CREATE_ONE_TIME_CHARGE"),
        Row(.invalidOperation, .charge, #""operation""#, #""op""#), Row(.nullVersion, .charge, #""version""#, #""v""#),
        Row(.unexpectedVersion, .charge, #""version":"1""#, #""version":"2""#),
        Row(.unexpectedVersion, .charge, #""version":"1""#, #""version":1"#),
        Row(.nullCurrency, .charge, #""currency""#, #""money""#), Row(.invalidCurrency, .charge, "USD", "usd"),
        Row(.nullTaxCode, .charge, #""taxCode""#, #""tax""#), Row(.invalidTaxProductCode, .charge, "C003", "é"),
        Row(.nullItem, .charge, #""item""#, #""items""#), Row(.nullSKU, .charge, #""SKU":"a","#, ""),
        Row(.invalidSKU, .charge, #""SKU":"a""#, #""SKU":"""#),
        Row(.skuLengthExceeded, .charge, #""SKU":"a""#, #""SKU":"\#(long)""#),
        Row(.nullDisplayName, .charge, #""displayName""#, #""name""#),
        Row(.nullDescription, .charge, #""description""#, #""text""#),
        Row(.displayNameLengthExceeded, .charge, #":"n""#, #":"\#(long.prefix(31))""#),
        Row(.descriptionLengthExceeded, .charge, #":"d""#, #":"\#(long.prefix(46))""#),
        Row(.invalidDisplayName, .charge, #":"n""#, ":1"), Row(.invalidDescription, .charge, #":"d""#, #":"""#),
        Row(.nullPrice, .charge, #""price""#, #""cost""#), Row(.negativePrice, .charge, ":10", ":-10"),
        Row(.invalidAmount, .charge, ":10", ":1.5"), Row(.invalidAmount, .charge, ":10", ":9223372036854775808"),
        Row(.nullDescriptors, .create, #""descriptors""#, #""names""#),
        Row(.nullPeriod, .create, #""period":"P1M","prev"#, #""prev"#),
        Row(.invalidRenewalPeriod, .create, #""period":"P1M","prev"#, #""period":"P9M","prev"#),
        Row(.invalidPreviousTransactionID, .create, #""previousTransactionId":"1""#, #""previousTransactionId":"x""#),
        Row(.nullItems, .create, #""items""#, #""products""#), Row(.nullItem, .create, "[{", "[null,{"),
        Row(.multipleOperationsOnSingleSKU, .create, "[{", #"[{"SKU":"a",\#(names),"price":1},{"#),
        Row(.nullOfferPeriod, .create, #""offer":{"period""#, #""offer":{"p""#),
        Row(.invalidOfferPeriod, .create, #""offer":{"period":"P1M""#, #""offer":{"period":"P4M""#),
        Row(.nullPeriodCount, .create, #""periodCount""#, #""count""#),
        Row(.periodCountNotPositive, .create, #""periodCount":2"#, #""periodCount":0"#),
        Row(.invalidOfferPeriodCount, .create, #""periodCount":2"#, #""periodCount":13"#),
        Row(.invalidOfferPeriodCount, .create, #""periodCount":2"#, #""periodCount":"2""#),
        Row(.negativePrice, .create, #""price":5"#, #""price":-5"#), Row(.nullPrice, .create, #""price":5,"#, ""),
        Row(.invalidOfferPrice, .create, #""price":5"#, #""price":11"#),
        Row(.freeTrialOfferMustUsePeriodCountOfOne, .create, #""price":5"#, #""price":0"#),
        Row(.nullReason, .create, #","reason":"RETENTION""#, ""),
        Row(.invalidOfferReason, .create, "RETENTION", "LUCK"),
        Row(.multiplePrices, .create, #""offer""#, #""proratedPrice":1,"offer""#),
    ]

    static let modify = [
        Row(.nullTransactionId, .modify, #""transactionId""#, #""id""#),
        Row(.invalidTransactionId, .modify, #""transactionId":"1""#, #""transactionId":"x""#),
        Row(.nullRetainBillingCycle, .modify, #""retainBillingCycle""#, #""retain""#),
        Row(.emptyAddChangeItems, .modify, "[\(change)]", "[]"),
        Row(.emptyAddChangeItems, .modify, #""changeItems""#, #""addItems":[],"changeItems""#),
        Row(.oneItemNeededInModify, .modify, #","changeItems":[\#(change)],"removeItems":[{"SKU":"r"}]"#, ""),
        Row(.removeItemsWithoutAddOrChangeItems, .modify, #""changeItems":[\#(change)],"#, ""),
        Row(
            .missingUpdatedItemsWithPeriodChange, .modify, #""changeItems":[\#(change)],"removeItems":[{"SKU":"r"}]"#,
            #""periodChange":{"effective":"NEXT_BILL_CYCLE","period":"P1Y"}"#),
        Row(.nullCurrentSKU, .modify, #""currentSKU""#, #""current""#),
        Row(.currentSKULengthExceeded, .modify, #""currentSKU":"a""#, #""currentSKU":"\#(long)""#),
        Row(.nullNewSKU, .modify, #""SKU":"b","#, ""), Row(.nullEffective, .modify, #""effective""#, #""when""#),
        Row(.nullReason, .modify, #""reason""#, #""why""#), Row(.invalidChangeReason, .modify, "UPGRADE", "SIDEGRADE"),
        Row(.negativeProratedPrice, .modify, #""proratedPrice":3"#, #""proratedPrice":-3"#),
        Row(.invalidProratedPrice, .modify, #""proratedPrice":3"#, #""proratedPrice":"3""#),
        Row(
            .invalidProratedPriceForChangeItemWithEffectiveLater, .modify, #""effective":"IMMEDIATELY""#,
            #""effective":"NEXT_BILL_CYCLE""#),
        Row(.multipleOperationsOnSingleSKU, .modify, #""SKU":"r""#, #""SKU":"a""#),
        Row(.multipleOperationsOnSingleSKU, .modify, "[\(change)]", "[\(change),\(change)]"),
        Row(.nullSKU, .modify, #"[{"SKU":"r"}]"#, "[{}]"),
        Row(
            .periodResetWithRetainBillingCycle, .modify, #""removeItems""#,
            #""periodChange":{"effective":"IMMEDIATELY","period":"P1Y"},"removeItems""#),
        Row(
            .periodChangeEffectiveConflict, .modify, #""removeItems""#,
            #""periodChange":{"effective":"NEXT_BILL_CYCLE","period":"P1Y"},"removeItems""#),
        Row(
            .periodChangeImmediateWithEffectiveAtNextBillingCycle, .modify, #"true,"changeItems":[\#(change)]"#,
            #"false,"periodChange":{"effective":"IMMEDIATELY","period":"P1Y"},"changeItems":[\#(later)]"#),
        Row(
            .billingCycleResetWithEffectiveLater, .modify, #"true,"changeItems":[\#(change)]"#,
            #"false,"changeItems":[\#(later)]"#),
        Row(
            .nullPeriod, .modify, #""removeItems""#, #""periodChange":{"effective":"IMMEDIATELY"},"removeItems""#),
        Row(
            .invalidRenewalPeriod, .modify, #""removeItems""#,
            #""periodChange":{"effective":"IMMEDIATELY","period":"P9M"},"removeItems""#),
        Row(.malformedPayload, .modify, #""removeItems""#, #""descriptors":{"effective":"IMMEDIATELY"},"removeItems""#),
        Row(.nullTransactionId, .reactivate, #""transactionId""#, #""id""#),
        Row(.nullItems, .reactivate, #"[{"SKU":"a"}]"#, "[]"), Row(.nullSKU, .reactivate, #""SKU""#, #""sku""#),
        Row(.nullItem, .reactivate, #"{"SKU":"a"}"#, "null"),
        Row(.multipleOperationsOnSingleSKU, .reactivate, #"{"SKU":"a"}"#, #"{"SKU":"a"},{"SKU":"a"}"#),
    ]

    static let later = change.replacing("IMMEDIATELY", with: "NEXT_BILL_CYCLE").replacing(
        #","proratedPrice":3"#, with: "")

    @Test(arguments: create + modify)
    func `An in-app Advanced Commerce request fails with the documented code of the rule it breaks`(_ row: Row) throws {
        #expect(try code { try row.check() } == row.code)
    }

    @Test func `A modify request may keep an item's SKU, or change only the subscription's display name`() throws {
        let same = AdvancedCommerceSample.json(.modify).replacing(#""SKU":"b""#, with: #""SKU":"a""#)
        try AdvancedCommerceSample.check(.modify, same)
        let names =
            #"{"operation":"MODIFY_SUBSCRIPTION","version":"1",\#(AdvancedCommerceSample.info),"transactionId":"1","#
            + #""retainBillingCycle":true,"descriptors":{"effective":"IMMEDIATELY","displayName":"n"}}"#
        try AdvancedCommerceSample.check(.modify, names)
    }
}
