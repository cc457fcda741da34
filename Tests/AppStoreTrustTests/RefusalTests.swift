import AppStoreTrust
import Foundation
import StoreSimulator
import SwiftASN1
import TestSupport
import Testing
import X509

@Suite struct `Length of refusal messages` {
    @Test func `The message of an error is short, however long an extension's identifier is`() throws {
        let long = try ASN1ObjectIdentifier(elements: [UInt](repeating: 1, count: 10_000))
        var changes = Authority.Changes()
        changes.leaf = { $0.extraExtensions = [.init(oid: long, critical: true, value: [5, 0])] }
        let authority = try Authority(now: TestStore.now, changes: changes)
        let anchors = try TrustAnchors(certificates: [Data(authority.root.der)])
        let error = #expect(throws: VerificationError.self) {
            try CertificateChain(ders: authority.chain, anchors: anchors, markers: .appStore)
        }
        #expect(error?.code == .badChainRules)
        #expect(try #require(error).message.utf8.count < 200)
    }
}

@Suite struct `The order of the signatures of a chain` {
    @Test func `An intermediate's key verifies nothing before the anchor has verified the intermediate`() throws {
        let (authority, stranger) = (try TestStore.authority(), try Authority(now: TestStore.now))
        // Both authorities have the same names. Neither signature of this chain is valid.
        let issuer = try Issued(certificate: stranger.intermediate.certificate, key: authority.intermediate.key)
        let leaf = try Authority.leafTemplate("Test", TestStore.now).issue(for: stranger.leaf.key, by: issuer)
        let anchors = try TrustAnchors(certificates: [Data(authority.root.der)])
        let error = #expect(throws: VerificationError.self) {
            try CertificateChain(
                ders: [leaf.der, stranger.intermediate.der, authority.root.der], anchors: anchors, markers: .appStore)
        }
        #expect(error?.code == .badChainSignature)
        #expect(error?.message == "certificate 2 is not signed by certificate 3")
    }
}
