import Crypto
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import AppStoreServer
@testable import AppStoreTrust

@Suite struct `Cache of verified signatures` {
    private let authority: Authority
    private let signatures = VerifiedSignatureCache()

    init() throws { authority = try TestStore.authority() }

    @Test func `Each signature is verified once, for any payload type`() async throws {
        let verifier = try TestStore.verifier().caching(signatures)
        let texts = try (0..<3).map { try authority.sign(Members(.transaction).with("transactionId", "\"\($0)\"")) }
        for _ in 0..<3 {
            for text in texts {
                _ = try await verifier.transaction(text)
                _ = try await verifier.anyPayload(text)
            }
        }
        #expect(signatures.verified == texts.count)
        #expect(signatures.count == texts.count)
        #expect(try await refusal { try await verifier.renewalInfo(texts[0]) } == .badJSON)
    }

    @Test func `Proven signatures are shared by a verifier for another instant`() async throws {
        let verifier = try TestStore.verifier().caching(signatures)
        let text = try authority.sign(Members(.transaction))
        _ = try await verifier.transaction(text)
        _ = try await verifier.validating(at: .signingDate).transaction(text)
        #expect(signatures.verified == 1)
    }

    @Test func `Validity, app and environment are checked each time, even for a proven signature`() async throws {
        let clock = TestClock(TestStore.now)
        let verifier = try TestStore.verifier { $0.now = { clock.now } }.caching(signatures)
        let text = try authority.sign(Members(.transaction))
        _ = try await verifier.transaction(text)
        clock.advance(by: 9 * 365 * 86_400)
        #expect(try await refusal { try await verifier.transaction(text) } == .expiredOrNotYetValid)
        let other = try TestStore.verifier(apps: .only([App(bundleID: "com.example.other")])).caching(signatures)
        #expect(try await refusal { try await other.transaction(text) } == .wrongApp)
        #expect(signatures.verified == 1)
    }

    @Test func `A changed text is not taken for a proven one, and does not evict it`() async throws {
        let verifier = try TestStore.verifier().caching(signatures)
        let genuine = try EditableJWS(authority)
        _ = try await verifier.transaction(genuine.text)
        var generator = SeededGenerator(seed: 11)
        for part in [\EditableJWS.payload, \EditableJWS.signature] as [WritableKeyPath<EditableJWS, String>] {
            for _ in 0..<100 {
                var letters = Array(genuine[keyPath: part].utf8)
                let position = Int.random(in: letters.indices, using: &generator)
                letters[position] = letters[position] == 0x41 ? 0x42 : 0x41
                let forged = genuine.changing { $0[keyPath: part] = String(decoding: letters, as: UTF8.self) }.text
                #expect(try await refusal { try await verifier.transaction(forged) } != nil, "letter \(position)")
            }
        }
        #expect(signatures.count == 1)
        let before = signatures.verified
        _ = try await verifier.transaction(genuine.text)
        #expect(signatures.verified == before)
    }

    @Test func `The signature of another text is refused`() async throws {
        let verifier = try TestStore.verifier().caching(signatures)
        let jws = try (0..<2).map { try EditableJWS(authority, payload: #"{"transactionId":"\#($0)"}"#) }
        for one in jws { _ = try await refusal { try await verifier.transaction(one.text) } }
        #expect(signatures.count == 2)
        let mixed = jws[0].changing { $0.signature = jws[1].signature }.text
        for _ in 0..<2 { #expect(try await refusal { try await verifier.transaction(mixed) } == .badSignature) }
        // Invalid signatures are verified again each time.
        #expect(signatures.verified == 4)
    }

    @Test func `A text that is verified twice concurrently is stored once`() {
        let signatures = VerifiedSignatureCache(capacity: 2)
        let (signature, digest) = ([UInt8](repeating: 1, count: 64), SHA256.hash(data: Data("text".utf8)))
        // During the first verification, a second one completes.
        #expect(signatures.isValid(signature, for: digest) { signatures.isValid(signature, for: digest) { true } })
        #expect(signatures.verified == 2 && signatures.count == 1)
    }

    @Test func `The proven signatures are bounded, and those in use are kept`() async throws {
        let signatures = VerifiedSignatureCache(capacity: 8)
        let verifier = try TestStore.verifier().caching(signatures)
        let texts = try (0..<40).map { try authority.sign(Members(.transaction).with("transactionId", "\"\($0)\"")) }
        for text in texts {
            _ = try await verifier.transaction(text)
            _ = try await verifier.transaction(texts[0])
            #expect(signatures.count <= 8)
        }
        #expect(signatures.verified == texts.count)
        _ = try await verifier.transaction(texts[1])
        #expect(signatures.verified == texts.count + 1)
    }
}
