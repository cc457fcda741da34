import AppStoreModels
import Foundation
import TestSupport
import Testing

/// Genuine signed data from the sandbox. It is stored beside the repository and is optional.
enum Fixtures {
    static let folder = TestSupport.Fixtures.folder.appending(path: "jws")
    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".jws") }.sorted()

    /// The payload of a JWS, not verified.
    static func payload(_ jws: String) throws -> Data {
        let parts = jws.split(separator: ".")
        var text = try #require(parts.dropFirst().first).replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        return try #require(Data(base64Encoded: String(text)))
    }
}

@Suite(.enabled(if: !Fixtures.names.isEmpty, "shared/fixtures/jws is not beside the repository"))
struct `Genuine data` {
    @Test(arguments: Fixtures.names)
    func `A genuine payload decodes and encodes to the same JSON`(_ name: String) throws {
        let jws = try String(contentsOf: Fixtures.folder.appending(path: name), encoding: .utf8)
        let data = try Fixtures.payload(jws)
        let before = try JSONValue(data)
        if name.hasSuffix("-transaction.jws") {
            #expect(try encode(JSONDecoder().decode(JWSTransactionDecodedPayload.self, from: data)) == before)
        } else if name.hasSuffix("-renewal.jws") {
            #expect(try encode(JSONDecoder().decode(JWSRenewalInfoDecodedPayload.self, from: data)) == before)
        } else {
            let payload = try JSONDecoder().decode(ResponseBodyV2DecodedPayload.self, from: data)
            #expect(try encode(payload) == before)
            // The same models decode the inner JWS.
            if let inner = payload.data?.signedTransactionInfo {
                let data = try Fixtures.payload(inner)
                let transaction = try JSONDecoder().decode(JWSTransactionDecodedPayload.self, from: data)
                #expect(try encode(transaction) == JSONValue(data))
                #expect(transaction.type == .autoRenewableSubscription)
                #expect(transaction.environment == .sandbox)
            }
            if let inner = payload.data?.signedRenewalInfo {
                let data = try Fixtures.payload(inner)
                let renewal = try JSONDecoder().decode(JWSRenewalInfoDecodedPayload.self, from: data)
                #expect(try encode(renewal) == JSONValue(data))
            }
        }
    }

    @Test func `The genuine data contain every kind of payload`() {
        for kind in ["-transaction.jws", "-renewal.jws", "-notification-test.jws", "-notification-expired.jws"] {
            #expect(Fixtures.names.contains { $0.hasSuffix(kind) }, "\(kind)")
        }
    }
}
