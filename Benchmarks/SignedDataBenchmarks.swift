import AppStoreModels
import AppStoreServer
import Crypto
import Foundation
import StoreSimulator
import X509

/// Compares the verification of signed data with the cryptography that it needs.
struct SignedDataBenchmarks {
    private let texts: [String]
    private let warm: SignedDataVerifier
    private let cold: SignedDataVerifier
    private let input: Data
    private let signature: P256.Signing.ECDSASignature
    private let key: P256.Signing.PublicKey
    private let leaf: Data
    private let leafSignature: P384.Signing.ECDSASignature
    private let issuer: P384.Signing.PublicKey

    init() throws {
        let authority = try Authority()
        let transaction = JWSTransactionDecodedPayload.sample
        let texts = try (0..<8).map { _ in try authority.sign(transaction) }
        var configuration = SignedDataVerifier.Configuration(apps: .only([App(bundleID: transaction.bundleId)]))
        configuration.anchors = try TrustAnchors(certificates: [Data(authority.root.der)])
        warm = try SignedDataVerifier(configuration)
        configuration.chainCacheCapacity = 0
        cold = try SignedDataVerifier(configuration)
        self.texts = texts
        input = Data(texts[0][..<(texts[0].lastIndex(of: ".") ?? texts[0].endIndex)].utf8)
        signature = try authority.signingKey.signature(for: input)
        key = authority.signingKey.publicKey
        let p384 = P384.Signing.PrivateKey()
        issuer = p384.publicKey
        leaf = Data(authority.leaf.certificate.tbsCertificateBytes)
        leafSignature = try p384.signature(for: leaf)
    }

    var cases: [Case] {
        [
            // The minimum for one JWS: SHA-256 of its signed bytes and one P-256 verification.
            Case(name: "raw.p256.verify") { n in
                for _ in 0..<n { try require(key.isValidSignature(signature, for: input)) }
            },
            // The gain from two cores on this machine: they may be two threads of one core.
            Case(name: "raw.p256.verify.two-cores") { n in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<2 {
                        group.addTask {
                            for _ in 0..<(n / 2) { try require(key.isValidSignature(signature, for: input)) }
                        }
                    }
                    try await group.waitForAll()
                }
            },
            Case(name: "raw.p384.verify") { n in
                for _ in 0..<n { try require(issuer.isValidSignature(leafSignature, for: leaf)) }
            },
            Case(name: "jws.known-chain") { n in
                for i in 0..<n { _ = try await warm.transaction(texts[i & 7]) }
            },
            Case(name: "jws.unknown-chain") { n in
                for i in 0..<n { _ = try await cold.transaction(texts[i & 7]) }
            },
            Case(name: "jws.known-chain.two-cores") { n in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<2 {
                        group.addTask { for i in 0..<(n / 2) { _ = try await warm.transaction(texts[i & 7]) } }
                    }
                    try await group.waitForAll()
                }
            },
        ]
    }

    /// Reports the ratios that have targets.
    static func reportRatios(_ measurement: Measurement) {
        report(
            "jws.known-chain / raw.p256.verify",
            measurement.ratio("jws.known-chain") { $0("raw.p256.verify") }, "ratio")
        report(
            "jws.unknown-chain / (raw.p256.verify + 2 raw.p384.verify)",
            measurement.ratio("jws.unknown-chain") { 1 / (1 / $0("raw.p256.verify") + 2 / $0("raw.p384.verify")) },
            "ratio")
        report(
            "jws.known-chain.two-cores / jws.known-chain",
            measurement.ratio("jws.known-chain.two-cores") { $0("jws.known-chain") }, "ratio")
        report(
            "raw.p256.verify.two-cores / raw.p256.verify",
            measurement.ratio("raw.p256.verify.two-cores") { $0("raw.p256.verify") }, "ratio")
        report(
            "two cores for jws.known-chain / two cores for raw.p256.verify",
            measurement.ratio("jws.known-chain.two-cores") {
                $0("jws.known-chain") * $0("raw.p256.verify.two-cores") / $0("raw.p256.verify")
            }, "ratio")
    }

    /// Verifies a million times and reports the growth of the resident memory.
    func reportMemory() async throws {
        for i in 0..<10_000 { _ = try await warm.transaction(texts[i & 7]) }
        let before = Memory.resident
        for i in 0..<1_000_000 { _ = try await warm.transaction(texts[i & 7]) }
        report("memory.growth-over-a-million", (Memory.resident - before) / 1_048_576, "MiB")
    }
}

/// Throws if the measured work had a wrong result.
func require(_ condition: Bool) throws {
    guard condition else { throw CocoaError(.featureUnsupported) }
}
