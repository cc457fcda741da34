internal import AppStoreTrust
import Basics
internal import Crypto
internal import Foundation
internal import StoreSimulator
internal import SwiftASN1
internal import X509
internal import _CryptoExtras

extension VerificationCases {
    /// Chains that are valid except for one rule of RFC 5280 or of Apple.
    package static let certificates: [VerificationCase] = [leaf, intermediate, root].flatMap(\.self)

    static let leaf: [VerificationCase] = [
        defect("leaf: an authority", .badChainRules) {
            $0.leaf = { $0.basicConstraints = .isCertificateAuthority(maxPathLength: nil) }
        },
        defect("leaf: an authority that may sign certificates", .badChainRules) {
            $0.leaf = {
                $0.basicConstraints = .isCertificateAuthority(maxPathLength: 0)
                $0.keyUsage = KeyUsage(digitalSignature: true, keyCertSign: true)
            }
        },
        defect("leaf: no key usage", .badChainRules) { $0.leaf = { $0.keyUsage = nil } },
        defect("leaf: for key agreement only", .badChainRules) {
            $0.leaf = { $0.keyUsage = KeyUsage(keyAgreement: true) }
        },
        defect("leaf: for signing certificates only", .badChainRules) {
            $0.leaf = { $0.keyUsage = KeyUsage(keyCertSign: true) }
        },
        defect("leaf: version 1", .badChainRules) { $0.leaf = { $0.version = .v1 } },
        defect("leaf: an unknown critical extension", .badChainRules) {
            $0.leaf = { $0.extraExtensions = [unknown(critical: true)] }
        },
        defect("leaf: larger than 8 KiB", .tooLarge) {
            $0.leaf = {
                $0.extraExtensions = [
                    .init(oid: [1, 3, 6, 1, 4, 1, 55555, 1], critical: false, value: .init(repeating: 7, count: 8192))
                ]
            }
        },
        defect("leaf: a critical marker", .badChainRules) {
            $0.leaf = {
                $0.markers = []
                $0.extraExtensions = [.init(oid: ChainMarkers.appStore.leaf, critical: true, value: [5, 0])]
            }
        },
        defect("leaf: critical extended key usage", .badChainRules) {
            $0.leaf = {
                $0.extraExtensions = [try? .init(ExtendedKeyUsage([.serverAuth]), critical: true)].compactMap(\.self)
            }
        },
        defect("leaf: no marker", .missingLeafMarker) { $0.leaf = { $0.markers = [] } },
        defect("leaf: the intermediate's marker", .missingLeafMarker) {
            $0.leaf = { $0.markers = [ChainMarkers.appStore.intermediate] }
        },
        defect("leaf: the marker of a legacy receipt", .missingLeafMarker) {
            $0.leaf = { $0.markers = [ChainMarkers.legacyReceipt.leaf] }
        },
        defect("leaf: a marker one arc too long", .missingLeafMarker) {
            $0.leaf = { $0.markers = [[1, 2, 840, 113635, 100, 6, 11, 1, 1]] }
        },
        defect("leaf: a marker one arc too short", .missingLeafMarker) {
            $0.leaf = { $0.markers = [[1, 2, 840, 113635, 100, 6, 11]] }
        },
        defect("leaf: unreadable basic constraints", .certificateMalformed) {
            $0.leaf = {
                $0.basicConstraints = nil
                $0.extraExtensions = [.init(oid: .X509ExtensionID.basicConstraints, critical: true, value: [5, 0])]
            }
        },
        defect("leaf: unreadable key usage", .certificateMalformed) {
            $0.leaf = {
                $0.keyUsage = nil
                $0.extraExtensions = [.init(oid: .X509ExtensionID.keyUsage, critical: true, value: [0xFF])]
            }
        },
    ]

    static let intermediate: [VerificationCase] = [
        defect("intermediate: not an authority", .badChainRules) {
            $0.intermediate = { $0.basicConstraints = .notCertificateAuthority }
        },
        defect("intermediate: no basic constraints", .badChainRules) {
            $0.intermediate = { $0.basicConstraints = nil }
        },
        defect("intermediate: no key usage", .badChainRules) { $0.intermediate = { $0.keyUsage = nil } },
        defect("intermediate: may not sign certificates", .badChainRules) {
            $0.intermediate = { $0.keyUsage = KeyUsage(cRLSign: true) }
        },
        defect("intermediate: for digital signatures only", .badChainRules) {
            $0.intermediate = { $0.keyUsage = KeyUsage(digitalSignature: true) }
        },
        defect("intermediate: version 1", .badChainRules) { $0.intermediate = { $0.version = .v1 } },
        defect("intermediate: an unknown critical extension", .badChainRules) {
            $0.intermediate = { $0.extraExtensions = [unknown(critical: true)] }
        },
        defect("intermediate: no marker", .missingIntermediateMarker) { $0.intermediate = { $0.markers = [] } },
        defect("intermediate: the leaf's marker", .missingIntermediateMarker) {
            $0.intermediate = { $0.markers = [ChainMarkers.appStore.leaf] }
        },
        defect("intermediate: the marker of a legacy receipt", .missingIntermediateMarker) {
            $0.intermediate = { $0.markers = [ChainMarkers.legacyReceipt.intermediate] }
        },
        defect("markers swapped", .missingLeafMarker) {
            $0.leaf = { $0.markers = [ChainMarkers.appStore.intermediate] }
            $0.intermediate = { $0.markers = [ChainMarkers.appStore.leaf] }
        },
    ]

    static let root: [VerificationCase] = [
        defect("root: not an authority", .badChainRules) {
            $0.root = { $0.basicConstraints = .notCertificateAuthority }
        },
        defect("root: no basic constraints", .badChainRules) { $0.root = { $0.basicConstraints = nil } },
        defect("root: allows no intermediate", .badChainRules) {
            $0.root = { $0.basicConstraints = .isCertificateAuthority(maxPathLength: 0) }
        },
        defect("root: may not sign certificates", .badChainRules) {
            $0.root = { $0.keyUsage = KeyUsage(cRLSign: true) }
        },
        defect("root: version 1", .badChainRules) { $0.root = { $0.version = .v1 } },
        defect("root: an unknown critical extension", .badChainRules) {
            $0.root = { $0.extraExtensions = [unknown(critical: true)] }
        },
    ]

    static let keys: [VerificationCase] = [
        defect("leaf: an RSA key", .unsupportedAlgorithm) { $0.leafKey = .init(try rsa.get()) },
        defect("leaf: a P-384 key", .unsupportedAlgorithm) { $0.leafKey = .init(P384.Signing.PrivateKey()) },
        defect("leaf: a P-521 key", .unsupportedAlgorithm) { $0.leafKey = .init(P521.Signing.PrivateKey()) },
        defect("leaf: an Ed25519 key", .unsupportedAlgorithm) { $0.leafKey = .init(Curve25519.Signing.PrivateKey()) },
        defect("leaf: another P-256 key", .badSignature) { $0.leafKey = .init(P256.Signing.PrivateKey()) },
        VerificationCase("leaf: a P-384 key that signs", .unsupportedAlgorithm) {
            let key = P384.Signing.PrivateKey()
            var changes = Authority.Changes()
            changes.leafKey = .init(key)
            let authority = try Authority(now: TestStore.now, changes: changes)
            let text = try EditableJWS(authority).changing {
                let raw = try key.signature(for: Data("\($0.header).\($0.payload)".utf8)).rawRepresentation
                $0.signature = Base64.encodeURL(raw)
            }.text
            return .init(text: text, authority: authority)
        },
        VerificationCase("leaf: an RSA key that signs, RS256", .unsupportedAlgorithm) {
            var changes = Authority.Changes()
            changes.leafKey = .init(try rsa.get())
            let authority = try Authority(now: TestStore.now, changes: changes)
            let header = authority.header().replacing("ES256", with: "RS256")
            let text = try EditableJWS(authority, header: header).changing {
                let signature = try rsa.get().signature(
                    for: Data("\($0.header).\($0.payload)".utf8), padding: .insecurePKCS1v1_5)
                $0.signature = Base64.encodeURL(signature.rawRepresentation)
            }.text
            return .init(text: text, authority: authority)
        },
    ]

    private static let rsa = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    /// Chains in which one certificate is not valid at the instant of verification.
    package static let dates: [VerificationCase] = ["leaf", "intermediate", "root"].flatMap { (which: String) in
        [
            defect("\(which): expired a second ago", .expiredOrNotYetValid) {
                $0.change(which) { $0.notAfter = TestStore.now - 1 }
            },
            defect("\(which): expired a year ago", .expiredOrNotYetValid) {
                $0.change(which) { $0.notAfter = TestStore.now - 365 * 86_400 }
            },
            defect("\(which): valid from the next second", .expiredOrNotYetValid) {
                $0.change(which) { $0.notBefore = TestStore.now + 1 }
            },
            defect("\(which): expires before it begins", .expiredOrNotYetValid) {
                $0.change(which) {
                    $0.notBefore = TestStore.now + 60
                    $0.notAfter = TestStore.now - 60
                }
            },
        ]
    }

    static func unknown(critical: Bool) -> Certificate.Extension {
        .init(oid: [1, 3, 6, 1, 4, 1, 55555, 1], critical: critical, value: [5, 0])
    }
}

extension Authority.Changes {
    /// Changes one certificate by its position.
    mutating func change(_ which: String, _ change: @escaping (inout CertificateTemplate) -> Void) {
        switch which {
        case "leaf": leaf = change
        case "intermediate": intermediate = change
        default: root = change
        }
    }
}
