import AppStoreModels
import Crypto
import Foundation
import StoreSimulator

/// Compares the simulator's signing of payloads with the raw signature that it needs.
struct SimulatorBenchmarks {
    private let signer: PayloadSigner
    private let transaction = JWSTransactionDecodedPayload.sample
    private let json: [UInt8]
    private let signature: PayloadSignature
    private let authority: Authority
    private let rawKey = P256.Signing.PrivateKey()

    init() throws {
        authority = try Authority()
        signer = PayloadSigner(generation: 1, chain: authority.chain, key: authority.signingKey)
        json = try transaction.jsonBytes()
        guard let signature = PayloadSignature(ofJWS: try signer.sign(json: json)) else {
            throw CocoaError(.coderInvalidValue)
        }
        self.signature = signature
    }

    var cases: [Case] {
        [
            // Signs a digest, so that hashing counts for the simulator only.
            Case(name: "raw.p256.sign-digest") { n in
                let digest = SHA256.hash(data: json)
                for _ in 0..<n { try require(rawKey.signature(for: digest).rawRepresentation.count == 64) }
            },
            Case(name: "simulator.sign") { n in
                for _ in 0..<n { try require(signer.sign(transaction).utf8.count > json.count) }
            },
            Case(name: "simulator.json") { n in
                for _ in 0..<n { try require(transaction.jsonBytes().count == json.count) }
            },
            Case(name: "simulator.assemble") { n in
                for _ in 0..<n { try require(signer.assemble(json, signature: signature).utf8.count > json.count) }
            },
            // The slower path of `Authority`, with Foundation's encoder, for comparison.
            Case(name: "simulator.sign.plain") { n in
                for _ in 0..<n { try require(authority.sign(transaction).utf8.count > json.count) }
            },
        ]
    }

    /// Reports the ratio that has a target.
    static func reportRatios(_ measurement: Measurement) {
        report(
            "simulator.sign / raw.p256.sign-digest",
            measurement.ratio("simulator.sign") { $0("raw.p256.sign-digest") }, "ratio")
    }
}
