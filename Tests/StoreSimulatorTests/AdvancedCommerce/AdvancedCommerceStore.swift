import AppStoreModels
import AppStoreServer
import Basics
import Foundation
import StoreSimulator
import Testing

/// A store in which anna has a monthly Advanced Commerce subscription with items for 5.00 and 2.00, and has made a
/// one-time purchase for 3.00.
struct AdvancedCommerceStore {
    static let start = Date(timeIntervalSince1970: 1_760_000_000)
    static let subscriptionProduct = "com.example.advanced.subscription"
    static let chargeProduct = "com.example.advanced.onetime"

    var store: Store
    var now = start
    var subscription = ""
    var charge = ""
    private var lastReference = 0

    init(_ environment: AppStoreEnvironment = .production, catalogue: Catalogue = .example) throws {
        store = Store(
            environment: environment, app: SimulatedApp(), catalogue: catalogue,
            settings: environment == .sandbox ? .sandbox : .production, seed: 1)
        let order = Self.order(reference())
        let bought = try perform(
            .subscribeAdvancedCommerce(customer: "anna", product: Self.subscriptionProduct, request: order))
        subscription = try #require(bought.transactionID)
        let item = AdvancedCommerceOneTimeChargeItem(sku: "hat", displayName: "Hat", description: "A hat", price: 3000)
        let charged = try perform(
            .chargeAdvancedCommerce(
                customer: "anna", product: Self.chargeProduct,
                request: .init(
                    requestInfo: .init(requestReferenceId: reference()), currency: "USD", item: item,
                    taxCode: "C003-00-2")))
        charge = try #require(charged.transactionID)
    }

    mutating func reference() -> UUID {
        lastReference += 1
        return UUID(uuidString: "00000000-0000-4000-8000-" + String(1_000_000_000_000 + lastReference).dropFirst())
            ?? UUID()
    }

    static func order(_ reference: UUID, skus: [String: Int64] = ["tv": 5000, "radio": 2000])
        -> AdvancedCommerceSubscriptionCreateRequest
    {
        .init(
            requestInfo: .init(requestReferenceId: reference), currency: "USD",
            descriptors: .init(description: "Everything", displayName: "All"),
            items: skus.sorted { $0.key > $1.key }.map {
                .init(sku: $0.key, displayName: $0.key, description: "d", price: $0.value)
            }, period: .p1m, taxCode: "C003-00-2")
    }

    /// Wraps a request in a token whose signature is invalid. The simulator verifies signatures; the store does not.
    static func unsigned(_ request: some Encodable, without claim: String? = nil) throws -> String {
        let header = Data(#"{"alg":"ES256","kid":"k"}"#.utf8)
        var claims: [String: Any] = [
            "iss": "i", "iat": 1_760_000_000, "bid": "b", "aud": "advanced-commerce-api",
            "nonce": UUID().uuidString, "request": try JSONEncoder().encode(request).base64EncodedString(),
        ]
        if let claim { claims[claim] = nil }
        let payload = try JSONSerialization.data(withJSONObject: claims)
        let parts = [header, payload, Data([1])].map { Base64.encodeURL($0) }
        return #"{"signatureInfo":{"token":"\#(parts.joined(separator: "."))"}}"#
    }

    @discardableResult
    mutating func perform(_ command: StoreCommand) throws -> StoreOutcome { try store.perform(command, at: now) }

    mutating func advance(days: Double) {
        now += days * 86_400
        store.run(until: now)
    }

    /// Replaces `REF` in `body` with a new request reference, and sends the body to an endpoint.
    @discardableResult
    mutating func send(_ endpoint: AppStoreEndpoint, _ id: String? = nil, _ body: String) throws -> APIResponse {
        let info = #""requestInfo":{"requestReferenceId":"\#(reference().uuidString)"}"#
        let text = body.replacing("{REF", with: "{" + info)
        return try store.respond(
            to: APIRequest(endpoint, path: ["transactionId": id ?? subscription], body: Data(text.utf8)), at: now)
    }

    /// Returns the renewal info and the transaction of a response, before they are signed.
    static func parts(
        _ answer: APIResponse
    ) throws -> (renewal: JWSRenewalInfoDecodedPayload?, transaction: JWSTransactionDecodedPayload) {
        guard case .object(let members) = answer.body else { throw Missing() }
        var renewal: JWSRenewalInfoDecodedPayload?
        var transaction: JWSTransactionDecodedPayload?
        for (name, value) in members {
            if name == "signedRenewalInfo", case .renewalInfo(let info) = value { renewal = info }
            if name == "signedTransactionInfo", case .transaction(let payload) = value { transaction = payload }
        }
        return (renewal, try #require(transaction))
    }

    struct Missing: Error {}

    /// Returns type and subtype of the notifications, starting at index `first`.
    func notificationNames(from first: Int = 0) -> [String] {
        store.notifications.dropFirst(first).map { record in
            record.type.rawValue + (record.subtype.map { "/" + $0.rawValue } ?? "")
        }
    }

    var current: JWSTransactionDecodedPayload {
        get throws {
            let id = try #require(store.subscriptions[subscription]?.current)
            return try #require(store.transactions[id]?.payload)
        }
    }

    var renewal: JWSRenewalInfoDecodedPayload {
        get throws { store.renewalInfo(of: try #require(store.subscriptions[subscription]), at: now) }
    }
}
