import AppStoreModels
import Foundation
import StoreSimulator
import Testing

/// Valid requests of the Advanced Commerce API, and replacements that make them invalid.
enum AdvancedCommerceSample {
    enum Request: String, CaseIterable, Sendable {
        case cancel, metadata, price, migrate, refund, revoke
        case create, charge, modify, reactivate
    }

    static let info =
        #""requestInfo":{"requestReferenceId":"7e3fb20b-4cdb-47cc-936d-99d65f608138","appAccountToken":"","consistencyToken":"c"},"storefront":"USA""#
    static let names = #""displayName":"n","description":"d""#
    static let offer = #""offer":{"period":"P1M","periodCount":2,"price":5,"reason":"RETENTION"}"#
    static let change =
        #"{"currentSKU":"a","SKU":"b",\#(names),"effective":"IMMEDIATELY","reason":"UPGRADE","price":10,"proratedPrice":3}"#

    static func json(_ request: Request) -> String {
        switch request {
        case .cancel: "{\(info)}"
        case .metadata:
            #"{\#(info),"taxCode":"C003-00-2","descriptors":{"effective":"IMMEDIATELY",\#(names)},"items":[{"currentSKU":"a","effective":"NEXT_BILL_CYCLE","SKU":"b"}]}"#
        case .price:
            #"{\#(info),"currency":"USD","items":[{"SKU":"a","price":10,"dependentSKUs":["c"]},{"SKU":"b","price":0}]}"#
        case .migrate:
            #"{\#(info),"descriptors":{\#(names)},"items":[{"SKU":"a",\#(names)}],"targetProductId":"p","taxCode":"C003-00-2"}"#
        case .refund:
            #"{\#(info),"refundRiskingPreference":true,"items":[{"SKU":"a","refundReason":"LEGAL","refundType":"CUSTOM","revoke":true,"refundAmount":1},{"SKU":"b","refundReason":"LEGAL","refundType":"FULL","revoke":true}]}"#
        case .revoke: #"{\#(info),"refundReason":"OTHER","refundRiskingPreference":true,"refundType":"FULL"}"#
        case .charge:
            #"{"operation":"CREATE_ONE_TIME_CHARGE","version":"1",\#(info),"currency":"USD","taxCode":"C003-00-2","item":{"SKU":"a",\#(names),"price":10}}"#
        case .create:
            #"{"operation":"CREATE_SUBSCRIPTION","version":"1",\#(info),"currency":"USD","taxCode":"C003-00-2","descriptors":{\#(names)},"period":"P1M","previousTransactionId":"1","items":[{"SKU":"a",\#(names),"price":10,\#(offer)}]}"#
        case .modify:
            #"{"operation":"MODIFY_SUBSCRIPTION","version":"1",\#(info),"transactionId":"1","retainBillingCycle":true,"changeItems":[\#(change)],"removeItems":[{"SKU":"r"}]}"#
        case .reactivate:
            #"{"operation":"REACTIVATE_SUBSCRIPTION","version":"1",\#(info),"transactionId":"1","items":[{"SKU":"a"}]}"#
        }
    }

    static func check(_ request: Request, _ json: String, in environment: AppStoreEnvironment = .sandbox) throws {
        let checks = AdvancedCommerceChecks(environment: environment)
        let bytes = Array(json.utf8)
        switch request {
        case .cancel: _ = try checks.cancel(bytes)
        case .metadata: _ = try checks.changeMetadata(bytes)
        case .price: _ = try checks.changePrice(bytes)
        case .migrate: _ = try checks.migrate(bytes)
        case .refund: _ = try checks.requestRefund(bytes)
        case .revoke: _ = try checks.revoke(bytes)
        case .create: _ = try checks.createSubscription(bytes)
        case .charge: _ = try checks.createOneTimeCharge(bytes)
        case .modify: _ = try checks.modifySubscription(bytes)
        case .reactivate: _ = try checks.reactivateSubscription(bytes)
        }
    }

    /// A valid request in which `new` replaces the first occurrence of `old`, and the code that the result fails with.
    struct Row: Sendable, CustomTestStringConvertible {
        let code: APIErrorCode
        let request: Request
        let old: String
        let new: String
        let environment: AppStoreEnvironment

        init(
            _ code: APIErrorCode, _ request: Request, _ old: String, _ new: String,
            in environment: AppStoreEnvironment = .sandbox
        ) {
            self.code = code
            self.request = request
            self.old = old
            self.new = new
            self.environment = environment
        }

        var testDescription: String { "\(code.rawValue) \(request): \(old) → \(new)" }

        func check() throws {
            let json = AdvancedCommerceSample.json(request)
            try #require(json.contains(old))
            let range = try #require(json.range(of: old))
            try AdvancedCommerceSample.check(request, json.replacingCharacters(in: range, with: new), in: environment)
        }
    }
}
