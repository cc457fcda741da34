import AppStoreModels
import AppStoreServer
import AsyncHTTPClient
import CounterfoilServer
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import StoreSimulator

@testable import Ledger

/// An HTTP method.
enum Verb: String { case GET, POST, PUT, DELETE }

/// A response of the server's API.
struct APIResponse {
    var status: Int
    var body: Data
    private var json: Any?

    init(status: Int, body: Data) {
        self.status = status
        self.body = body
        json = try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed)
    }

    /// A value by its path, such as `history.state` or `items.0.state`.
    subscript(path: String) -> Any? {
        path.split(separator: ".").reduce(json) { value, step in
            if let index = Int(step) {
                guard let array = value as? [Any], array.indices.contains(index) else { return nil }
                return array[index]
            }
            return (value as? [String: Any])?[String(step)]
        }
    }

    func text(_ path: String) -> String? { self[path] as? String }
    func number(_ path: String) -> Int? { self[path] as? Int }
    func flag(_ path: String) -> Bool? { self[path] as? Bool }
    func count(_ path: String) -> Int? { (self[path] as? [Any])?.count }

    /// The signature of a promotional offer in the form that an app passes to the App Store.
    var offerSignature: OfferSignature? {
        if let token = text("jws") { return .jws(token) }
        guard let keyID = text("key_id"), let nonce = text("nonce"), let timestamp = number("timestamp"),
            let signature = text("signature")
        else { return nil }
        return .original(keyID: keyID, nonce: nonce, timestamp: Int64(timestamp), signature: signature)
    }

    func texts(_ path: String) -> [String]? { self[path] as? [String] }
}

extension World {
    static let backendKey = "a key of the tests"

    /// A key with all scopes.
    static let backend = ServerConfiguration.Key(
        name: "tests", hash: Data(SHA256.hash(data: Data(backendKey.utf8))), scopes: Set(APIScope.all))

    /// Sends a request to the server.
    func call(_ method: Verb, _ path: String, _ body: [String: Any]? = nil, key: String? = World.backendKey)
        async throws
        -> APIResponse
    {
        try await call(method, path, data: body.map { try JSONSerialization.data(withJSONObject: $0) }, key: key)
    }

    func call(_ method: Verb, _ path: String, data: Data?, key: String? = World.backendKey) async throws -> APIResponse
    {
        var request = HTTPClientRequest(url: url + path)
        request.method = HTTPMethod(rawValue: method.rawValue)
        if let key { request.headers.add(name: "authorization", value: "Bearer \(key)") }
        if let data { request.body = .bytes(ByteBuffer(bytes: data)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
        let answer = try await response.body.collect(upTo: 16 << 20)
        return APIResponse(status: Int(response.status.code), body: Data(answer.readableBytesView))
    }

    /// Returns a client of the simulated App Store.
    func appStoreClient(_ environment: AppStoreEnvironment = .production) throws -> AppStoreServerClient {
        guard let client = try server.core.clients[appEnvironment(environment).id] else {
            throw StorageError(.failed, "the app has no key")
        }
        return client
    }

    /// Returns the signed transactions of the customer who made this purchase.
    func signedTransactions(
        of transactionID: String, in environment: AppStoreEnvironment = .production
    ) async throws -> [String] {
        var texts: [String] = []
        for try await text in try appStoreClient(environment).transactionHistory(of: transactionID).items {
            texts.append(text)
        }
        return texts
    }
}
