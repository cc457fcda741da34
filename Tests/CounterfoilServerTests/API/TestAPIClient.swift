import AppStoreModels
import AppStoreServer
import AppStoreTrust
import Basics
import CounterfoilServer
import Crypto
import Foundation
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

/// Sends requests to a server's API with an API key and a customer token, and compares the responses with openapi.yaml.
/// Configures the keys of the tests.
struct TestAPIClient: Sendable {
    static let key = "cfk_all-scopes-of-the-tests-here"
    static let publicKey = "cfk_public-key-of-the-tests-here"
    static let readerKey = "cfk_reads-customers-in-the-sandbox"
    static let tokenSecret = "a secret of the app's own backend"

    let url: String
    var key: String? = TestAPIClient.key
    var token: String?

    /// A response with its JSON body.
    struct Response: @unchecked Sendable {
        var status: Int
        var headers: [String: String]
        var body: Data
        var json: [String: Any]

        subscript(name: String) -> Any? { json[name] }
        var items: [[String: Any]] { json["items"] as? [[String: Any]] ?? [] }
        /// Whether it is a list without items. The response to a refused request is no list.
        var isEmptyList: Bool { (json["items"] as? [Any])?.isEmpty == true }
        var text: String { String(decoding: body, as: UTF8.self) }
        /// The error code.
        var code: String? { json["code"] as? String }
    }

    func get(_ path: String) async throws -> Response { try await send("GET", path) }

    func send(
        _ method: String, _ path: String, body: Data? = nil, headers more: [(name: String, value: String)] = []
    ) async throws -> Response {
        var headers = more
        if let key { headers.append(("Authorization", "Bearer \(key)")) }
        if let token { headers.append(("Counterfoil-Customer-Token", token)) }
        if body != nil { headers.append(("Content-Type", "application/json")) }
        let response = try await AsyncHTTPClientTransport().send(
            HTTPTransportRequest(method: method, url: url + path, headers: headers, body: body, timeout: .seconds(600)))
        let json =
            response.body.first == UInt8(ascii: "{")
            ? try JSONSerialization.jsonObject(with: response.body) as? [String: Any] : nil
        if let json { try DescribedAPI.current.get().check(method, path, status: response.status, json: json) }
        return Response(
            status: response.status,
            headers: Dictionary(response.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 }),
            body: response.body, json: json ?? [:])
    }

    /// Sets the API keys and the customer token secret in a configuration.
    static func configure(_ configuration: inout ServerConfiguration) {
        configuration.keys = [
            .init(name: "all", hash: APIKeyText.hash(of: key), scopes: Set(APIScope.all)),
            .init(
                name: "app", hash: APIKeyText.hash(of: publicKey), scopes: APIScope.publicKeyScopes, isPublic: true),
            .init(
                name: "reader", hash: APIKeyText.hash(of: readerKey), scopes: [.customersRead],
                environments: [.sandbox]),
        ]
        for index in configuration.apps.indices {
            configuration.apps[index].customerTokenSecret = Secret(tokenSecret)
        }
    }

    /// Makes a customer token.
    static func token(
        header: String = #"{"alg":"HS256","typ":"JWT"}"#, claims: String, secret: String = tokenSecret
    ) -> String {
        let text = Base64.encodeURL(Array(header.utf8)) + "." + Base64.encodeURL(Array(claims.utf8))
        let signature = HMAC<SHA256>.authenticationCode(
            for: Data(text.utf8), using: SymmetricKey(data: Data(secret.utf8)))
        return text + "." + Base64.encodeURL(Array(signature))
    }
}

extension World {
    var api: TestAPIClient { TestAPIClient(url: url) }

    /// Runs a world whose server accepts the keys of ``TestAPIClient``.
    static func withAPI<Value>(
        server change: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in },
        _ body: (World) async throws -> Value
    ) async throws -> Value {
        try await run(
            server: { configuration in
                TestAPIClient.configure(&configuration)
                change(&configuration)
            }, body)
    }

    /// Makes a customer subscribe with an app account token. Returns the customer's ID in the server.
    func subscribe(
        _ customer: String, product: String = "com.example.premium.monthly",
        in environment: AppStoreEnvironment = .production
    ) async throws -> String {
        let token = UUID()
        try await simulator.perform(
            .purchase(customer: customer, product: product, appAccountToken: AppAccountToken(token)), in: environment)
        try await waitUntilIdle()
        return token.uuidString.lowercased()
    }
}
