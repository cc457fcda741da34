import AppStoreTrust
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `The length of a chain` {
    @Test(arguments: [0, 1, 2, 4, 5])
    func `A chain is refused unless it has three certificates, whatever the other ones are`(_ count: Int) async throws {
        let authority = try TestStore.authority()
        let anchors = try TrustAnchors(certificates: [Data(authority.root.der)])
        let chain = authority.chain
        let ders = Array((chain + [authority.root.der, authority.leaf.der]).prefix(count))
        let code = try await refusal { try CertificateChain(ders: ders, anchors: anchors, markers: .appStore) }
        #expect(code == .chainLength)
        _ = try CertificateChain(ders: chain, anchors: anchors, markers: .appStore)
    }
}
