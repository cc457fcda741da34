internal import AppStoreTrust
import Basics
internal import Crypto
internal import Foundation
internal import StoreSimulator
internal import X509

extension VerificationCases {
    /// Valid certificates in the wrong number, order or combination.
    static let chain: [VerificationCase] = companies.map { name, code, chain in
        VerificationCase("chain: " + name, code) { try EditableJWS($0, chain: chain($0).map(\.der)).text }
    }

    private static let companies: [(String, VerificationError.Code, @Sendable (Authority) throws -> [Issued])] = [
        ("no certificate", .chainLength, { _ in [] }),
        ("the leaf alone", .chainLength, { [$0.leaf] }),
        ("leaf and intermediate", .chainLength, { [$0.leaf, $0.intermediate] }),
        ("leaf and root", .chainLength, { [$0.leaf, $0.root] }),
        ("the root twice", .chainLength, { [$0.leaf, $0.intermediate, $0.root, $0.root] }),
        ("the intermediate twice", .chainLength, { [$0.leaf, $0.intermediate, $0.intermediate, $0.root] }),
        ("root first", .untrustedRoot, { [$0.root, $0.intermediate, $0.leaf] }),
        ("root and intermediate swapped", .untrustedRoot, { [$0.leaf, $0.root, $0.intermediate] }),
        ("leaf and intermediate swapped", .badChainRules, { [$0.intermediate, $0.leaf, $0.root] }),
        ("the leaf as intermediate", .badChainRules, { [$0.leaf, $0.leaf, $0.root] }),
        ("the intermediate as leaf", .badChainRules, { [$0.intermediate, $0.intermediate, $0.root] }),
        ("the root as leaf", .badChainRules, { [$0.root, $0.intermediate, $0.root] }),
        ("the root as intermediate", .missingIntermediateMarker, { [$0.leaf, $0.root, $0.root] }),
        ("the root three times", .badChainRules, { [$0.root, $0.root, $0.root] }),
        ("the leaf three times", .untrustedRoot, { [$0.leaf, $0.leaf, $0.leaf] }),
        ("the intermediate as root", .untrustedRoot, { [$0.leaf, $0.intermediate, $0.intermediate] }),
        ("the leaf as root", .untrustedRoot, { [$0.leaf, $0.intermediate, $0.leaf] }),
        ("a stranger's root", .untrustedRoot, { [$0.leaf, $0.intermediate, try stranger.get().root] }),
        ("a stranger's intermediate", .badChainSignature, { [$0.leaf, try stranger.get().intermediate, $0.root] }),
        ("a stranger's leaf", .badChainSignature, { [try stranger.get().leaf, $0.intermediate, $0.root] }),
        (
            "a stranger's leaf and intermediate", .badChainSignature,
            {
                [try stranger.get().leaf, try stranger.get().intermediate, $0.root]
            }
        ),
        (
            "the root issued anew for the same key", .untrustedRoot,
            {
                let root = try Authority.rootTemplate("Test", TestStore.now).issue(for: $0.root.key)
                return [$0.leaf, $0.intermediate, root]
            }
        ),
    ]

    /// Certificates of another authority with the right names.
    static let impostors: [VerificationCase] = [
        VerificationCase("chain: a stranger's", .untrustedRoot) { _ in try stranger.get().sign(Members(.transaction)) },
        VerificationCase("chain: a stranger's with the same names", .untrustedRoot) { _ in
            try Authority(now: TestStore.now).sign(Members(.transaction))
        },
        VerificationCase("chain: a leaf by another key with the intermediate's name", .badChainSignature) {
            let impostor = try Authority(now: TestStore.now)
            return try Authority(
                root: $0.root, intermediate: $0.intermediate, leaf: impostor.leaf, signingKey: impostor.signingKey
            ).sign(Members(.transaction))
        },
        VerificationCase("chain: an intermediate by another key with the root's name", .badChainSignature) {
            let impostor = try Authority(now: TestStore.now)
            return try Authority(
                root: $0.root, intermediate: impostor.intermediate, leaf: impostor.leaf,
                signingKey: impostor.signingKey
            ).sign(Members(.transaction))
        },
        VerificationCase("chain: a leaf by the right key that names another issuer", .badChainSignature) {
            let misnamed = try Issued(
                certificate: stranger.get().intermediate.certificate, key: $0.intermediate.key)
            let leaf = try Authority.leafTemplate("Test", TestStore.now).issue(
                for: .init($0.signingKey), by: misnamed)
            return try Authority(
                root: $0.root, intermediate: $0.intermediate, leaf: leaf, signingKey: $0.signingKey
            ).sign(Members(.transaction))
        },
        VerificationCase("chain: an intermediate by the right key that names another issuer", .badChainSignature) {
            let misnamed = try Issued(certificate: stranger.get().root.certificate, key: $0.root.key)
            let intermediate = try Authority.intermediateTemplate("Test", TestStore.now).issue(
                for: $0.intermediate.key, by: misnamed)
            return try Authority(
                root: $0.root, intermediate: intermediate, leaf: $0.leaf, signingKey: $0.signingKey
            ).sign(Members(.transaction))
        },
        VerificationCase("chain: a leaf signed by itself", .badChainSignature) {
            let leaf = try Authority.leafTemplate("Test", TestStore.now).issue(for: .init($0.signingKey))
            return try Authority(
                root: $0.root, intermediate: $0.intermediate, leaf: leaf, signingKey: $0.signingKey
            ).sign(Members(.transaction))
        },
    ]

    private static let stranger = Result { try Authority(now: TestStore.now, name: "Stranger") }

    /// Certificates that are not valid base64 or DER.
    static let certificateEncoding: [VerificationCase] =
        [0, 1, 2].flatMap { (index: Int) in
            encodings.map { (name, change) in
                // The root's bytes are compared before they are parsed, but after base64 is decoded.
                let isDER = !malformedBase64.contains(name)
                return VerificationCase(
                    "certificate \(index + 1): \(name)", index == 2 && isDER ? .untrustedRoot : .certificateMalformed
                ) { authority in
                    var x5c = authority.chain.map { Data($0).base64EncodedString() }
                    x5c[index] = try change(authority.chain[index])
                    return try EditableJWS(authority, header: EditableJWS.header(x5c: x5c)).text
                }
            }
        }

    private static let malformedBase64: Set<String> = [
        "empty", "base64url", "without padding", "too much padding", "a line break", "a space", "PEM", "not base64",
        "unicode",
    ]

    private static let encodings: [(String, @Sendable ([UInt8]) throws -> String)] = [
        ("empty", { _ in "" }),
        ("base64url", { Base64.encodeURL($0 + [0xFB, 0xFF]) }),
        ("without padding", { String(Data(padded($0)).base64EncodedString().prefix { $0 != "=" }) }),
        ("too much padding", { Data(padded($0)).base64EncodedString() + "====" }),
        (
            "a line break",
            { Data($0).base64EncodedString(options: .lineLength64Characters).replacing("\r\n", with: "\\n") }
        ),
        ("a space", { " " + Data($0).base64EncodedString() }),
        (
            "PEM",
            {
                "-----BEGIN CERTIFICATE-----\\n\(Data($0).base64EncodedString())\\n-----END CERTIFICATE-----"
            }
        ),
        ("not base64", { _ in "@@@@" }),
        ("unicode", { _ in "ÄÖÜß" }),
        ("garbage", { _ in Data("not a certificate".utf8).base64EncodedString() }),
        ("one byte", { _ in Data([0x30]).base64EncodedString() }),
        ("an empty sequence", { _ in Data([0x30, 0]).base64EncodedString() }),
        ("the last byte missing", { Data($0.dropLast()).base64EncodedString() }),
        ("half missing", { Data($0.prefix($0.count / 2)).base64EncodedString() }),
        ("a byte after the end", { Data($0 + [0]).base64EncodedString() }),
        ("a second certificate after the end", { Data($0 + $0).base64EncodedString() }),
        ("an overlong length", { Data([0x30, 0x83, 0x00] + $0[2...]).base64EncodedString() }),
        (
            "a very overlong length",
            {
                Data([0x30, 0x88, 0, 0, 0, 0, 0, 0] + $0[2...]).base64EncodedString()
            }
        ),
        ("an indefinite length", { Data([0x30, 0x80] + $0[4...] + [0, 0]).base64EncodedString() }),
        (
            "a length of 2^64 − 1",
            { Data([0x30, 0x88] + [UInt8](repeating: 0xFF, count: 8) + $0[4...]).base64EncodedString() }
        ),
        ("a length of 127 bytes", { Data([0x30, 0xFF] + $0[4...]).base64EncodedString() }),
        ("2 000 sequences in each other", { _ in Data(sequences(2000)).base64EncodedString() }),
        (
            "4 000 open sequences",
            { _ in
                Data((0..<4000).flatMap { _ in [0x30, 0x80] as [UInt8] }).base64EncodedString()
            }
        ),
        (
            "a key alone",
            { _ in
                P256.Signing.PrivateKey().publicKey.derRepresentation.base64EncodedString()
            }
        ),
    ]

    /// Bytes whose base64 ends in padding. They are no certificate any more, but base64 is checked first.
    private static func padded(_ der: [UInt8]) -> [UInt8] { der.count.isMultiple(of: 3) ? der + [0] : der }

    private static func sequences(_ depth: Int) -> [UInt8] {
        // Built from the end, so that each length is known when it is written.
        var reversed: [UInt8] = []
        for _ in 0..<depth {
            let count = reversed.count
            if count < 128 {
                reversed += [UInt8(count)]
            } else {
                reversed += [UInt8(count & 255), UInt8(count >> 8 & 255), UInt8(count >> 16 & 255)]
                if count < 256 { reversed.removeLast(2) } else if count < 65536 { reversed.removeLast() }
                reversed += [0x80 | (count < 256 ? 1 : count < 65536 ? 2 : 3)]
            }
            reversed += [0x30]
        }
        return reversed.reversed()
    }
}
