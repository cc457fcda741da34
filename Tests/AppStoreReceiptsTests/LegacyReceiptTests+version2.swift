import AppStoreReceipts
import AppStoreTrust
import Crypto
import Entitlements
import Foundation
import StoreSimulator
import SwiftASN1
import TestSupport
import Testing
import X509
import _CryptoExtras

// Receipts of version 2, whose signer has a certificate of its own chain.
extension LegacyReceiptTests {
    struct Version2Case: Sendable {
        var leafMarkers = true
        var intermediateMarkers = true
        var leafIsAuthority = false
        var intermediateIsAuthority = true
        var leafCanSign = true
        var critical = false
        var otherKey = false
        var otherRootKey = false
        var intermediateCanSign = true
        var rootPathLength: Int?
        var leafVersion = Certificate.Version.v3
        var code: VerificationError.Code?
    }

    @Test(arguments: [
        Version2Case(), Version2Case(leafMarkers: false, code: .missingLeafMarker),
        Version2Case(intermediateMarkers: false, code: .missingIntermediateMarker),
        Version2Case(leafIsAuthority: true, code: .badChainRules),
        Version2Case(intermediateIsAuthority: false, code: .badChainRules),
        Version2Case(leafCanSign: false, code: .badChainRules), Version2Case(critical: true, code: .badChainRules),
        Version2Case(otherKey: true, code: .badChainSignature),
        Version2Case(otherRootKey: true, code: .badChainSignature),
        Version2Case(intermediateCanSign: false, code: .badChainRules),
        Version2Case(rootPathLength: 1), Version2Case(rootPathLength: 0, code: .badChainRules),
        Version2Case(leafVersion: .v1, code: .badChainRules),
    ])
    func `A version 2 transaction receipt with a changed chain is refused with the change's code`(
        _ testCase: Version2Case
    ) throws {
        let authority = try ReceiptAuthority.shared.get()
        let root = try authority.issue(
            "Test Root CA", key: authority.root.key, isAuthority: true, pathLength: testCase.rootPathLength)
        let intermediate = try authority.issue(
            "Store",
            by: testCase.otherRootKey ? try root.with(key: authority.xcode) : root,
            key: authority.intermediate.key, isAuthority: testCase.intermediateIsAuthority,
            canSign: testCase.intermediateCanSign,
            markers: testCase.intermediateMarkers ? [[1, 2, 840, 113635, 100, 6, 2, 2]] : [])
        let issuer =
            testCase.otherKey
            ? try intermediate.with(key: authority.xcode)
            : intermediate
        let leaf = try authority.issue(
            "Purchases", by: issuer, key: Self.smallKey.get(), isAuthority: testCase.leafIsAuthority,
            canSign: testCase.leafCanSign,
            markers: testCase.leafMarkers ? [[1, 2, 840, 113635, 100, 6, 5, 1]] : [],
            critical: testCase.critical ? [1, 2, 3] : nil,
            version: testCase.leafVersion)
        let bytes = Data(try Builder(version: 2, signer: leaf).bytes())
        var validator = try Self.validator(authority, [root.der, intermediate.der])
        validator.anchors = try TrustAnchors(certificates: [Data(root.der)])
        if let code = testCase.code {
            #expect(throws: refusal(code)) { try validator.validate(contents: bytes) }
        } else {
            #expect(try validator.validate(contents: bytes).trace.certificates.count == 3)
        }
    }

    static let smallKey = Result {
        Certificate.PrivateKey(try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: 1024)))
    }
}
