import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import Testing

/// A request that an endpoint refuses, and the expected error code.
struct APIRefusalCase: Sendable, CustomTestStringConvertible {
    let endpoint: AppStoreEndpoint
    let code: APIErrorCode?
    let environment: AppStoreEnvironment
    let request: @Sendable (inout APIShop) throws -> APIRequest

    init(
        _ endpoint: AppStoreEndpoint, _ code: APIErrorCode?, in environment: AppStoreEnvironment = .production,
        _ request: @escaping @Sendable (inout APIShop) throws -> APIRequest
    ) {
        self.endpoint = endpoint
        self.code = code
        self.environment = environment
        self.request = request
    }

    /// A request that does not depend on the store's contents.
    init(
        _ endpoint: AppStoreEndpoint, _ code: APIErrorCode?, in environment: AppStoreEnvironment = .production,
        _ arguments: String..., query: String = "", body: String = ""
    ) {
        self.init(endpoint, code, in: environment) { _ in
            APIShop.request(endpoint, arguments, query: query, body: body)
        }
    }

    /// A request about the transaction by which anna has just bought `product`.
    init(
        _ endpoint: AppStoreEndpoint, _ code: APIErrorCode?, about product: String, query: String = "",
        body: String = ""
    ) {
        self.init(endpoint, code) { shop in
            APIShop.request(endpoint, [try shop.buy(product)], query: query, body: body)
        }
    }

    var testDescription: String { "\(endpoint.name): \(code.map { "\($0.rawValue)" } ?? "without a code")" }
}

@Suite("Refusals of the App Store Server API")
struct APIRefusalTests {
    @Test func `Assigning a seat is refused in production`() {
        var shop = APIShop(.production)
        let failure = #expect(throws: StoreError.self) {
            try shop.perform(.assignSeat(customer: "cleo", product: "plus"))
        }
        #expect(failure?.code == .impossibleTransition)
    }

    @Test(arguments: all)
    func `A refused request has the documented code and status, and changes nothing`(_ row: APIRefusalCase)
        throws
    {
        var shop = APIShop(row.environment)
        let request = try row.request(&shop)
        let before = shop.store.revision
        let failure = #expect(throws: APIFailure.self) { try shop.send(request) }
        #expect(failure?.code == row.code)
        #expect(failure?.status == row.code?.httpStatus ?? failure?.status)
        #expect(shop.store.revision == before)
    }

    @Test func `The refused requests cover every endpoint`() {
        let names = Set(Self.all.map(\.endpoint.name))
        #expect(names == Set(AppStoreEndpoint.server.map(\.name)))
    }

    static let all = history + lookups + consumption + extensions + notifications + groups

    private static let unknown = "123456789"

    /// An invalid UUID that Foundation accepts.
    static let signedNumbers = "+b1f2c0e-0a4b-4f0e-9b7a- d6a5c1e2f30"

    static let history: [APIRefusalCase] = [AppStoreEndpoint.transactionHistory, .transactionHistoryV1].flatMap {
        [
            APIRefusalCase($0, .invalidTransactionId, "12x"), .init($0, .transactionIdNotFound, unknown),
            .init($0, .invalidRequestRevision, about: "coins", query: "revision=abc"),
            .init($0, .invalidStartDate, about: "coins", query: "startDate=yesterday"),
            .init($0, .invalidEndDate, about: "coins", query: "endDate=1.5"),
            .init($0, .invalidEndDate, about: "coins", query: "startDate=5&endDate=5"),
            .init($0, .invalidSort, about: "coins", query: "sort=UP"),
            .init($0, .invalidProductType, about: "coins", query: "productType=Consumable"),
            .init($0, .invalidProductId, about: "coins", query: "productId=a%20b"),
            .init($0, .invalidSubscriptionGroupIdentifier, about: "coins", query: "subscriptionGroupIdentifier=a"),
            .init($0, .invalidExcludeRevoked, about: "coins", query: "excludeRevoked=1"),
            .init($0, .invalidInAppOwnershipType, about: "coins", query: "inAppOwnershipType=MINE"),
            .init($0, .invalidRevoked, about: "coins", query: "revoked=yes"),
        ]
    }

    static let lookups: [APIRefusalCase] = [
        .init(.subscriptionStatuses, .invalidTransactionId, ""),
        .init(.subscriptionStatuses, .transactionIdNotFound, unknown),
        .init(.subscriptionStatuses, .invalidStatus, about: "plus", query: "status=1&status=6"),
        .init(.subscriptionStatuses, .invalidStatus, about: "plus", query: "status=0"),
        .init(.transaction, .invalidTransactionId, "123456789012345678901"),
        .init(.transaction, .transactionIdNotFound, unknown),
        .init(.transaction, .appTransactionIdNotSupported, appTransaction(.transaction)),
        .init(.appTransaction, .invalidTransactionId, "-1"),
        .init(.appTransaction, .transactionIdNotFound, unknown),
        .init(.finishTransaction, .invalidTransactionId, "a"),
        .init(.finishTransaction, .transactionIdNotFound, unknown),
        .init(.finishTransaction, .appTransactionIdNotSupported, appTransaction(.finishTransaction)),
        .init(.order, .generalBadRequest, "M 1"), .init(.order, nil, in: .sandbox, "MABC"),
        .init(.refundHistory, .invalidTransactionId, "a"), .init(.refundHistory, .transactionIdNotFound, unknown),
        .init(.refundHistory, .invalidRequestRevision, about: "coins", query: "revision=abc"),
        .init(.refundHistoryV1, .invalidOriginalTransactionId, "a"),
        .init(.refundHistoryV1, .originalTransactionIdNotFound, unknown),
        .init(.setAppAccountToken, .invalidTransactionId, "a", body: JSONFields.token.text),
        .init(.setAppAccountToken, .originalTransactionIdNotFound, unknown, body: JSONFields.token.text),
        .init(
            .setAppAccountToken, .appTransactionIdNotSupported,
            appTransaction(.setAppAccountToken, JSONFields.token.text)),
        .init(.setAppAccountToken, .invalidAppAccountTokenUUID, about: "coins", body: #"{"appAccountToken":"me"}"#),
        .init(
            .setAppAccountToken, .invalidAppAccountTokenUUID, about: "coins",
            body: #"{"appAccountToken":"\#(signedNumbers)"}"#),
        .init(.setAppAccountToken, .familyTransactionNotSupported, shared(.setAppAccountToken, JSONFields.token.text)),
        .init(
            .setAppAccountToken, .invalidAssignedTransactionNotSupported, in: .sandbox,
            seat(.setAppAccountToken, JSONFields.token.text)),
        .init(.setAppAccountToken, .transactionIdIsNotOriginalTransactionId) { shop in
            APIShop.request(.setAppAccountToken, [try renewal(&shop)], body: JSONFields.token.text)
        },
        .init(.setAppAccountToken, nil, about: "coins", body: "appAccountToken"),
    ]

    static let consumption: [APIRefusalCase] = [
        .init(.sendConsumption, .invalidTransactionId, "a", body: JSONFields.consumption.text),
        .init(.sendConsumption, .transactionIdNotFound, unknown, body: JSONFields.consumption.text),
        .init(
            .sendConsumption, .appTransactionIdNotSupported,
            appTransaction(.sendConsumption, JSONFields.consumption.text)),
        .init(.sendConsumption, .familyTransactionNotSupported, shared(.sendConsumption, JSONFields.consumption.text)),
        .init(
            .sendConsumption, .invalidAssignedTransactionNotSupported, in: .sandbox,
            seat(.sendConsumption, JSONFields.consumption.text)),
        v2(.invalidCustomerConsented, "customerConsented", "false"),
        v2(.invalidCustomerConsented, "customerConsented", nil),
        v2(.invalidDeliveryStatus, "deliveryStatus", "0"), v2(.invalidDeliveryStatus, "deliveryStatus", "\"MAYBE\""),
        v2(.invalidSampleContentProvided, "sampleContentProvided", "\"no\""),
        v2(.invalidRefundPreference, "refundPreference", "\"PLEASE\""),
        v2(nil, "consumptionPercentage", "100001"), v2(nil, "consumptionPercentage", "1.5"),
        v2(.consumptionPercentageAutoRenewableSubscription, "consumptionPercentage", "50", about: "plus"),
        .init(.sendConsumption, nil, about: "coins", body: prorated("100000")),
        .init(.sendConsumption, nil, about: "coins", body: prorated("0")),
        .init(.sendConsumption, nil, about: "coins", body: prorated(nil)),
        .init(
            .sendConsumption, nil, about: "coins",
            body: #"{"customerConsented":true,"deliveryStatus":"UNDELIVERED_OTHER","sampleContentProvided":true,"#
                + #""consumptionPercentage":1}"#),
        .init(.sendConsumptionV1, .transactionIdNotFound, unknown, body: JSONFields.consumptionV1.text),
        .init(.sendConsumptionV1, .transactionIdNotFound, "a", body: JSONFields.consumptionV1.text),
        .init(
            .sendConsumptionV1, .transactionIdNotFound,
            appTransaction(.sendConsumptionV1, JSONFields.consumptionV1.text)),
        .init(
            .sendConsumptionV1, .invalidAssignedTransactionNotSupported, in: .sandbox,
            seat(.sendConsumptionV1, JSONFields.consumptionV1.text)),
        .init(
            .sendConsumptionV1, .invalidTransactionTypeNotSupported, about: "lamp", body: JSONFields.consumptionV1.text),
        v1(.invalidCustomerConsented, "customerConsented", "false"), v1(.invalidAccountTenure, "accountTenure", "8"),
        v1(.invalidAppAccountToken, "appAccountToken", "\"me\""),
        v1(.invalidConsumptionStatus, "consumptionStatus", nil),
        v1(.invalidDeliveryStatus, "deliveryStatus", "6"),
        v1(.invalidLifetimeDollarsPurchased, "lifetimeDollarsPurchased", "-1"),
        v1(.invalidLifetimeDollarsRefunded, "lifetimeDollarsRefunded", "\"1\""),
        v1(.invalidPlatform, "platform", "3"), v1(.invalidPlayTime, "playTime", "8"),
        v1(.invalidSampleContentProvided, "sampleContentProvided", "1"), v1(.invalidUserStatus, "userStatus", "5"),
        v1(.invalidRefundPreference, "refundPreference", "4"),
    ]
}

// Requests that need a certain kind of transaction.
extension APIRefusalTests {
    static func appTransaction(
        _ endpoint: AppStoreEndpoint, _ body: String = ""
    ) -> @Sendable (inout APIShop) throws -> APIRequest {
        { shop in
            try shop.buy("coins")
            return APIShop.request(endpoint, [shop.app("anna")], body: body)
        }
    }

    /// Returns a request about a subscription that ben has by family sharing with anna.
    static func shared(
        _ endpoint: AppStoreEndpoint, _ body: String
    ) -> @Sendable (inout APIShop) throws -> APIRequest {
        { shop in
            try shop.buy("plus")
            let member = try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
            return APIShop.request(endpoint, [member.transactionID ?? ""], body: body)
        }
    }

    static func seat(
        _ endpoint: AppStoreEndpoint, _ body: String
    ) -> @Sendable (inout APIShop) throws -> APIRequest {
        { shop in
            let seat = try shop.perform(.assignSeat(customer: "cleo", product: "plus"))
            return APIShop.request(endpoint, [seat.transactionID ?? ""], body: body)
        }
    }

    /// Returns the identifier of the second transaction of a subscription.
    static func renewal(_ shop: inout APIShop) throws -> String {
        let first = try shop.buy("plus")
        shop.advance(days: 40)
        shop.store.run(until: shop.now)
        return shop.store.subscriptions[first]?.current ?? ""
    }

    static func v2(_ code: APIErrorCode?, _ name: String, _ value: String?, about product: String = "coins")
        -> APIRefusalCase
    {
        .init(.sendConsumption, code, about: product, body: JSONFields.consumption.with(name, value))
    }

    static func v1(_ code: APIErrorCode?, _ name: String, _ value: String?) -> APIRefusalCase {
        .init(.sendConsumptionV1, code, about: "coins", body: JSONFields.consumptionV1.with(name, value))
    }

    static func prorated(_ percentage: String?) -> String {
        var fields = JSONFields.consumption
        fields.fields["refundPreference"] = "\"GRANT_PRORATED\""
        return fields.with("consumptionPercentage", percentage)
    }
}
