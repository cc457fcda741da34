@testable import LedgerServices
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

/// Asks a server's API, and gives the keys that it takes.
struct Asker: Sendable {
    static let key = "cfk_all-scopes-of-the-tests-here"
    static let publicKey = "cfk_public-key-of-the-tests-here"
    static let readerKey = "cfk_reads-customers-in-the-sandbox"
    static let tokenSecret = "a secret of the app's own backend"

    let url: String
    var key: String? = Asker.key
    var token: String?

    /// An answer, with its JSON.
    struct Answer: @unchecked Sendable {
        var status: Int
        var headers: [String: String]
        var body: Data
        var json: [String: Any]

        subscript(name: String) -> Any? { json[name] }
        var items: [[String: Any]] { json["items"] as? [[String: Any]] ?? [] }
        var text: String { String(decoding: body, as: UTF8.self) }
        /// Why it is an error.
        var code: String? { json["code"] as? String }
    }

    func get(_ path: String) async throws -> Answer { try await send("GET", path) }

    func send(
        _ method: String, _ path: String, body: Data? = nil, headers more: [(name: String, value: String)] = []
    ) async throws -> Answer {
        var headers = more
        if let key { headers.append(("Authorization", "Bearer \(key)")) }
        if let token { headers.append(("Counterfoil-Customer-Token", token)) }
        if body != nil { headers.append(("Content-Type", "application/json")) }
        let answer = try await AsyncHTTPClientTransport().send(
            HTTPTransportRequest(method: method, url: url + path, headers: headers, body: body))
        let json =
            answer.body.first == UInt8(ascii: "{")
            ? try JSONSerialization.jsonObject(with: answer.body) as? [String: Any] : nil
        return Answer(
            status: answer.status,
            headers: Dictionary(answer.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 }),
            body: answer.body, json: json ?? [:])
    }

    /// The keys, for a world's configuration.
    static func configure(_ configuration: inout ServerConfiguration) {
        configuration.keys = [
            .init(name: "all", hash: APIKeyText.hash(of: key), scopes: Set(APIScope.all)),
            .init(
                name: "app", hash: APIKeyText.hash(of: publicKey), scopes: APIScope.forApps, isPublic: true),
            .init(
                name: "reader", hash: APIKeyText.hash(of: readerKey), scopes: [.customersRead],
                environments: [.sandbox]),
        ]
        for index in configuration.apps.indices {
            configuration.apps[index].customerTokenSecret = Secret(tokenSecret)
        }
    }

    /// A customer token.
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
    var api: Asker { Asker(url: url) }

    /// A world whose server takes the keys of ``Asker``.
    static func withAPI<Value>(
        server change: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in },
        _ body: (World) async throws -> Value
    ) async throws -> Value {
        try await run(
            server: { configuration in
                Asker.configure(&configuration)
                change(&configuration)
            }, body)
    }

    /// Has a customer subscribe; gives the name that the server knows them by.
    func subscriber(
        _ customer: String, product: String = "com.example.premium.monthly",
        in environment: AppStoreEnvironment = .production
    ) async throws -> String {
        let token = UUID()
        try await simulator.perform(
            .purchase(customer: customer, product: product, appAccountToken: AppAccountToken(token)), in: environment)
        try await settle()
        return token.uuidString.lowercased()
    }
}
