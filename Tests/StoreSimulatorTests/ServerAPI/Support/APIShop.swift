import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator

/// A store with products of every type, and a clock that the test advances.
struct APIShop {
    var store: Store
    var now = start

    static let start = Date(timeIntervalSince1970: 1_767_225_600)
    static let app = SimulatedApp(bundleID: "com.example.shop", appAppleID: 42, version: "3")
    static let group = "21000001"
    static let other = "21000002"

    static let catalogue = Catalogue(
        products: [
            Product(id: "coins", type: .consumable, price: 990),
            Product(id: "lamp", type: .nonConsumable, price: 1990, isFamilyShareable: true),
            Product(id: "pass", type: .nonRenewingSubscription, price: 4990),
            Product(
                id: "plus", type: .autoRenewableSubscription, price: 9990, isFamilyShareable: true,
                subscription: SubscriptionTerms(group: group, period: .month)),
            Product(
                id: "trial", type: .autoRenewableSubscription, price: 2990,
                subscription: SubscriptionTerms(
                    group: other, period: .month,
                    introductoryOffer: Offer(type: .introductory, discount: .freeTrial, period: .week))),
        ], groups: [.init(id: group, name: "Plus"), .init(id: other, name: "Trial")],
        storefronts: [.usa, Storefront(code: "DEU", id: "143443", currency: "EUR")])

    init(_ environment: AppStoreEnvironment = .production, seed: UInt64 = 1) {
        var settings = environment == .sandbox ? StoreSettings.sandbox : .production
        settings.notificationURL = "https://developer.example/notifications"
        store = Store(
            environment: environment, app: Self.app, catalogue: Self.catalogue, settings: settings, seed: seed)
    }

    mutating func advance(days: Double) { now += days * 86_400 }

    @discardableResult
    mutating func perform(_ command: StoreCommand) throws -> StoreOutcome { try store.perform(command, at: now) }

    /// Buys a product. Returns the transaction's identifier.
    @discardableResult
    mutating func buy(_ product: String, _ customer: String = "anna") throws -> String {
        try perform(.purchase(customer: customer, product: product)).transactionID ?? ""
    }

    mutating func send(_ request: APIRequest) throws -> APIResponse { try store.respond(to: request, at: now) }

    /// Sends a request and decodes the response. Identifiers stand in for signed texts.
    mutating func get<Response: Decodable>(
        _ type: Response.Type, _ endpoint: AppStoreEndpoint, _ arguments: String..., query: String = "",
        body: String = ""
    ) throws -> Response {
        let answer = try send(Self.request(endpoint, arguments, query: query, body: body))
        guard let body = answer.body else { throw CocoaError(.coderValueNotFound) }
        return try JSONDecoder().decode(type, from: Data(Self.rendering.bytes(body)))
    }

    static func request(
        _ endpoint: AppStoreEndpoint, _ arguments: [String] = [], query: String = "", body: String = ""
    ) -> APIRequest {
        APIRequest(
            endpoint, path: Dictionary(uniqueKeysWithValues: zip(endpoint.parameters, arguments)), query: query,
            body: Data(body.utf8))
    }

    static var rendering: APIRendering {
        APIRendering(
            transaction: { $0.transactionId }, renewalInfo: { $0.originalTransactionId },
            appTransaction: { $0.appTransactionId ?? "" }, notification: { String($0) })
    }

    func app(_ customer: String) -> String { store.customers[customer]?.appTransactionID ?? "" }

    static func milliseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1000).rounded()) }
}

/// A JSON object of which single members can be replaced, or removed with nil.
struct JSONFields {
    var fields: [String: String]

    func with(_ name: String, _ value: String?) -> String {
        var changed = fields
        changed[name] = value
        return Self.text(changed)
    }

    var text: String { Self.text(fields) }

    private static func text(_ fields: [String: String]) -> String {
        "{" + fields.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    static let consumption = Self(fields: [
        "customerConsented": "true", "deliveryStatus": "\"DELIVERED\"", "sampleContentProvided": "false",
    ])
    static let consumptionV1 = Self(fields: [
        "customerConsented": "true", "consumptionStatus": "1", "platform": "1", "sampleContentProvided": "false",
        "deliveryStatus": "0", "appAccountToken": "\"\"", "accountTenure": "0", "playTime": "0",
        "lifetimeDollarsRefunded": "0", "lifetimeDollarsPurchased": "0", "userStatus": "0",
    ])
    static let extending = Self(fields: [
        "extendByDays": "7", "extendReasonCode": "1", "requestIdentifier": "\"a\"",
    ])
    static let extendingAll = Self(fields: [
        "extendByDays": "7", "extendReasonCode": "1",
        "requestIdentifier": "\"7B1F2C0E-0A4B-4F0E-9B7A-0D6A5C1E2F30\"", "productId": "\"plus\"",
    ])
    static let token = Self(fields: ["appAccountToken": "\"7b1f2c0e-0a4b-4f0e-9b7a-0d6a5c1e2f30\""])

    static func notifications(from start: Date, to end: Date) -> Self {
        Self(fields: [
            "startDate": "\(APIShop.milliseconds(start))", "endDate": "\(APIShop.milliseconds(end))",
        ])
    }
}
