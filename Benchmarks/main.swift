import AppStoreModels
import AppStoreServer
import Crypto
import Foundation
import StoreSimulator
import X509

let authority = try Authority()
let transaction = JWSTransactionDecodedPayload.sample
let texts = try (0..<8).map { _ in try authority.sign(transaction) }
let anchors = try TrustAnchors(certificates: [Data(authority.root.der)])

var configuration = SignedDataVerifier.Configuration(apps: .only([App(bundleId: transaction.bundleId)]))
configuration.anchors = anchors
let warm = try SignedDataVerifier(configuration)
configuration.chainCacheCapacity = 0
let cold = try SignedDataVerifier(configuration)

let input = Data(texts[0][..<(texts[0].lastIndex(of: ".") ?? texts[0].endIndex)].utf8)
let key = authority.signingKey.publicKey
let signature = try authority.signingKey.signature(for: input)
let digest = SHA256.hash(data: input)
let p384 = P384.Signing.PrivateKey()
let certificateBytes = Data(authority.leaf.certificate.tbsCertificateBytes)
let p384Signature = try p384.signature(for: certificateBytes)

func require(_ condition: Bool) throws {
    guard condition else { throw CocoaError(.featureUnsupported) }
}

let allCases = [
    Case(name: "raw.p256.verify") { n in
        for _ in 0..<n { try require(key.isValidSignature(signature, for: input)) }
    },
    Case(name: "raw.p256.verify-digest") { n in
        for _ in 0..<n { try require(key.isValidSignature(signature, for: digest)) }
    },
    Case(name: "raw.p384.verify") { n in
        for _ in 0..<n { try require(p384.publicKey.isValidSignature(p384Signature, for: certificateBytes)) }
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
    Case(name: "decode") { n in
        for _ in 0..<n { _ = try JSONDecoder().decode(JWSTransactionDecodedPayload.self, from: samplePayload) }
    },
]
let samplePayload = try JSONEncoder().encode(transaction)
let wanted = CommandLine.arguments.dropFirst()
let cases = allCases.filter { item in wanted.isEmpty || wanted.contains { item.name.hasPrefix($0) } }
let measurement = try await Measurement.interleaving(cases)
for item in cases { report(item.name, measurement.rate(item.name), "1/s") }
report("jws.known-chain / raw.p256.verify", measurement.ratio("jws.known-chain") { $0("raw.p256.verify") }, "ratio")
report(
    "jws.unknown-chain / (raw.p256.verify + 2 raw.p384.verify)",
    measurement.ratio("jws.unknown-chain") { 1 / (1 / $0("raw.p256.verify") + 2 / $0("raw.p384.verify")) }, "ratio")
report(
    "jws.known-chain.two-cores / jws.known-chain",
    measurement.ratio("jws.known-chain.two-cores") { $0("jws.known-chain") }, "ratio")
