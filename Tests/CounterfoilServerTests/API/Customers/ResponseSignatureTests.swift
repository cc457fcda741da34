import AppStoreModels
import CounterfoilServer
import Crypto
import Foundation
import StoreSimulator
import Testing

@testable import LedgerServices

@Suite struct `Signed API responses` {
    private static let key = Data((1...32).map { UInt8($0) })
    private static let nonce = "a-nonce_of-the-tests"

    private static func run(_ body: (World) async throws -> Void) async throws {
        try await World.withAPI(
            server: { $0.apps[0].responseSigningKey = .init(base64: key.base64EncodedString()) }, body)
    }

    /// Whether the signature of an answer verifies, by the client's algorithm.
    private static func isSignatureValid(
        _ answer: TestAPIClient.Response, about customer: String, nonce: String = nonce, by key: Data = key
    ) throws -> Bool {
        let header = try #require(answer.headers["counterfoil-signature"])
        let parts = header.split(separator: ".")
        let signature = try header.jwsPart(1)
        let message = Data("counterfoil-answer-1\n\(customer)\n\(nonce)\n\(parts[0])\n".utf8) + answer.body
        return try Curve25519.Signing.PrivateKey(rawRepresentation: key).publicKey
            .isValidSignature(signature, for: message)
    }

    @Test func `The signature of an answer covers the customer, the nonce, the time and the body`() async throws {
        try await Self.run { world in
            let name = try await world.subscribe("anna")
            let (app, path) = (world.appClient(for: name), "/v1/customers/\(name)")
            let headers = [("Counterfoil-Nonce", Self.nonce)]
            let calls: [(String, String, String?)] = [
                ("GET", "", nil), ("GET", "?environment=Production", nil),
                ("POST", "/purchases", #"{"signed_transactions":[]}"#),
                ("POST", "/merge", #"{"from":"\#(name)","from_token":"\#(app.token ?? "")"}"#),
            ]
            for (method, route, body) in calls {
                let answer = try await app.send(
                    method, path + route, body: body.map { Data($0.utf8) }, headers: headers)
                #expect(answer.status == 200, "\(route): \(answer.text)")
                #expect(try Self.isSignatureValid(answer, about: name), "\(route)")
                #expect(try !Self.isSignatureValid(answer, about: "otto"))
                #expect(try !Self.isSignatureValid(answer, about: name, nonce: "another-nonce-of-the-tests"))
                #expect(try !Self.isSignatureValid(answer, about: name, by: Data(repeating: 7, count: 32)))
                var changed = answer
                changed.body[changed.body.count - 1] ^= 1
                #expect(try !Self.isSignatureValid(changed, about: name))
                let time = try #require(answer.headers["counterfoil-signature"]?.prefix { $0 != "." })
                #expect(Int64(time) == Int64(world.simulator.now.timeIntervalSince1970 * 1000))
            }
            // An ID in upper case names the same customer. The signature covers the ID in lower case.
            let upper = try await app.send("GET", "/v1/customers/\(name.uppercased())", headers: headers)
            #expect(try Self.isSignatureValid(upper, about: name))
        }
    }

    @Test func `A replayed answer is signed with the nonce of the repeated request`() async throws {
        try await Self.run { world in
            let name = try await world.subscribe("anna")
            func merge(_ nonce: String?) async throws -> TestAPIClient.Response {
                var headers = [("Idempotency-Key", "one")]
                if let nonce { headers.append(("Counterfoil-Nonce", nonce)) }
                return try await world.api.send(
                    "POST", "/v1/customers/ben/merge", body: Data(#"{"from":"\#(name)"}"#.utf8), headers: headers)
            }
            let first = try await merge(Self.nonce)
            #expect(first.status == 200, "\(first.text)")
            for nonce in [Self.nonce, "another-nonce-of-the-tests"] {
                let again = try await merge(nonce)
                #expect(again.headers["idempotent-replayed"] == "true" && again.body == first.body)
                #expect(try Self.isSignatureValid(again, about: "ben", nonce: nonce))
            }
            #expect(try await merge(nil).headers["counterfoil-signature"] == nil)
            #expect(try await merge("short").code == "invalid_nonce")
            // An answer that is not about a customer has no signature.
            for _ in 0..<2 {
                let refused = try await world.api.send(
                    "POST", "/v1/customers/ben/merge", body: Data("{}".utf8),
                    headers: [("Idempotency-Key", "two"), ("Counterfoil-Nonce", Self.nonce)])
                #expect(refused.status == 400 && refused.headers["counterfoil-signature"] == nil, "\(refused.text)")
            }
        }
    }

    /// The network could add `at` to a request, and the app took the signed state for the present one.
    @Test func `An answer about the past is not signed`() async throws {
        try await Self.run { world in
            let name = try await world.subscribe("anna")
            let now = Int64(world.simulator.now.timeIntervalSince1970 * 1000)
            for query in ["?at=\(now)", "?environment=Production&at=\(now - 1000)"] {
                let answer = try await world.appClient(for: name).send(
                    "GET", "/v1/customers/\(name)\(query)", headers: [("Counterfoil-Nonce", Self.nonce)])
                #expect(answer.status == 200, "\(query): \(answer.text)")
                #expect(answer.headers["counterfoil-signature"] == nil, "\(query)")
            }
        }
    }

    @Test func `An answer is signed if the request has a nonce and the app has an answer key`() async throws {
        try await Self.run { world in
            let plain = try await world.appClient(for: "anna").get("/v1/customers/anna")
            #expect(plain.status == 200 && plain.headers["counterfoil-signature"] == nil)
            for nonce in ["", "short", "with a space in it", "a+nonce/of=the tests", String(repeating: "a", count: 65)]
            {
                let answer = try await world.appClient(for: "anna").send(
                    "GET", "/v1/customers/anna", headers: [("Counterfoil-Nonce", nonce)])
                #expect(answer.status == 400 && answer.code == "invalid_nonce", "\(nonce): \(answer.status)")
            }
            let keys = try await world.api.get("/v1/keys").items
            let key = try Curve25519.Signing.PrivateKey(rawRepresentation: Self.key).publicKey.rawRepresentation
            #expect(keys.count == 1 && keys[0]["public_key"] as? String == key.base64EncodedString())
            #expect(keys[0]["app"] as? String == world.simulator.information.bundleID)
        }
        let other = Self.key.base64EncodedString()
        try await World.withAPI(
            server: { configuration in
                var app = ServerConfiguration.App(bundleID: "com.example.other", environments: [.sandbox])
                app.responseSigningKey = .init(base64: other)
                configuration.apps[0].responseSigningKey = app.responseSigningKey
                configuration.apps.append(app)
            },
            { world in
                #expect(try await world.api.get("/v1/keys").items.count == 2)
                let own = try await world.appClient(for: "anna").get("/v1/keys").items.map { $0["app"] as? String }
                #expect(own == [world.simulator.information.bundleID])
            })
        try await World.withAPI { world in
            let answer = try await world.appClient(for: "anna").send(
                "GET", "/v1/customers/anna", headers: [("Counterfoil-Nonce", Self.nonce)])
            #expect(answer.status == 200 && answer.headers["counterfoil-signature"] == nil)
            #expect(try await world.api.get("/v1/keys").isEmptyList)
        }
    }
}
