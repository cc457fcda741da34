import AppStoreModels
import AppStoreServer
import AppStoreTrust
import Basics
import Crypto
import Foundation
import TestSupport
import Testing

@testable import StoreSimulator

@Suite struct `Signing of payloads` {
    private let authority: Authority
    private let signer: PayloadSigner

    init() throws {
        authority = try TestStore.authority()
        signer = PayloadSigner(generation: 1, chain: authority.chain, key: authority.signingKey)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `PayloadSigner writes the same header and payload as the test authority, and signs them`(_ seed: UInt64) throws
    {
        var random = RandomPayloads(seed: seed)
        let payload = random.transaction()
        let (fast, slow) = (try signer.sign(payload), try authority.sign(payload))
        #expect(fast.split(separator: ".").dropLast() == slow.split(separator: ".").dropLast())
        #expect(isSigned(fast))
    }

    @Test(arguments: 0...70)
    func `Payloads of 0 to 70 bytes are encoded and signed`(_ count: Int) throws {
        var generator = SeededGenerator(seed: UInt64(count))
        let bytes = generator.bytes(count)
        let text = try signer.sign(json: bytes)
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        #expect(parts.count == 3 && Base64.decodeURL(parts[1]) == bytes)
        #expect(parts[1] == Base64.encodeURL(bytes))
        #expect(isSigned(text))
    }

    @Test func `A JWS is assembled from payload and signature without the key, the same each time`() throws {
        var random = RandomPayloads(seed: 7)
        for _ in 0..<50 {
            let json = try random.transaction().jsonBytes()
            let text = try signer.sign(json: json)
            let signature = try signature(of: text)
            #expect(isSigned(text))
            #expect(signer.assemble(json, signature: signature) == text)
            #expect(PayloadSignature(bytes: signature.bytes) == signature)
        }
    }

    @Test func `A signature of another length than 64 bytes is refused`() {
        for count in [0, 63, 65, 128] { #expect(PayloadSignature(bytes: [UInt8](repeating: 1, count: count)) == nil) }
        #expect(MemoryLayout<PayloadSignature>.size == 64)
    }

    @Test func `A broken signature differs in one bit and fails verification as a bad signature`() async throws {
        let json = try transaction.jsonBytes()
        let signature = try signature(of: signer.sign(json: json))
        let differences = zip(signature.bytes, signature.broken.bytes).map { ($0 ^ $1).nonzeroBitCount }
        #expect(differences.reduce(0, +) == 1)
        let text = try signer.sign(json: json, breaking: true)
        #expect(!isSigned(text))
        let verifier = try TestStore.verifier()
        #expect(try await refusal { try await verifier.transaction(text) } == .badSignature)
    }

    @Test func `A transaction signed by PayloadSigner verifies with the same payload`() async throws {
        let verifier = try TestStore.verifier()
        #expect(try await verifier.transaction(signer.sign(transaction)).payload == transaction)
    }

    @Test func `Descriptions and dumps of a signer contain no private key`() throws {
        var dumped = ""
        dump(signer, to: &dumped)
        for text in [String(describing: signer), String(reflecting: signer), "\(signer)", dumped] {
            #expect(!text.contains("PrivateKey"), "\(text)")
        }
    }

    private var transaction: JWSTransactionDecodedPayload {
        JWSTransactionDecodedPayload(
            transactionId: "1", originalTransactionId: "1", bundleId: TestStore.bundleId, productId: "p",
            purchaseDate: TestStore.now, originalPurchaseDate: TestStore.now, quantity: 1, type: .consumable,
            inAppOwnershipType: .purchased, signedDate: TestStore.now, environment: .sandbox)
    }

    private func signature(of text: String) throws -> PayloadSignature {
        let last = try #require(text.split(separator: ".").last)
        return try #require(PayloadSignature(bytes: Base64.decodeURL(last) ?? []))
    }

    private func isSigned(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let raw = Base64.decodeURL(parts[2]),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw)
        else { return false }
        return authority.signingKey.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8))
    }
}
