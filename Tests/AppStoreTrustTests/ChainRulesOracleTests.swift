import Basics
import Foundation
import StoreSimulator
import SwiftASN1
import Testing
import TestSupport
@_spi(FixedExpiryValidationTime) import X509

@testable import AppStoreTrust

/// swift-certificates has its own path builder and RFC 5280 policy; it knows nothing of markers, of exactly three
/// certificates, of key usage.
@Suite struct `Chain rules against swift-certificates' verifier` {
    @Test(arguments: Specimens.certificates + Specimens.dates + Specimens.edges)
    func `what it refuses, we refuse as well`(_ specimen: Specimen) async throws {
        let chain = try specimen.make().authority.chain
        let ours = try judgement(of: chain)
        guard try await oracleRefuses(chain) else { return }
        #expect(ours != nil)
    }

    @Test(arguments: Specimens.dates)
    func `it refuses every chain that breaks a rule it knows`(_ specimen: Specimen) async throws {
        #expect(try await oracleRefuses(specimen.make().authority.chain))
    }

    @Test func `of our refusals it shares these and no others`() async throws {
        var shared: Set<String> = []
        for specimen in Specimens.certificates where try await oracleRefuses(specimen.make().authority.chain) {
            shared.insert(specimen.name)
        }
        #expect(
            shared == [
                "leaf: version 1", "leaf: an unknown critical extension", "leaf: a critical marker",
                "leaf: critical extended key usage",
                "intermediate: not an authority", "intermediate: no basic constraints", "intermediate: version 1",
                "intermediate: an unknown critical extension", "root: not an authority", "root: no basic constraints",
                "root: allows no intermediate", "root: version 1", "root: an unknown critical extension",
            ])
    }

    @Test func `both accept a sound chain`() async throws {
        let chain = try TestStore.authority().chain
        #expect(try judgement(of: chain) == nil)
        #expect(try await !oracleRefuses(chain))
    }

    @Test(
        .enabled(if: Fixtures.hasSignedData, "\(Fixtures.absence)"),
        arguments: Fixtures.signedData)
    func `both accept Apple's chains`(_ file: GenuineJWS) async throws {
        struct Header: Decodable { let x5c: [Data] }
        let segment = try #require(Base64.decodeURL(file.text().prefix { $0 != "." }))
        let chain = try JSONDecoder().decode(Header.self, from: Data(segment)).x5c.map { Array($0) }
        let proven = try CertificateChain(ders: chain, anchors: .apple, markers: .appStore)
        try proven.requireValid(at: file.signedDate)
        #expect(try await !oracleRefuses(chain, at: file.signedDate))
    }

    private func judgement(of ders: [[UInt8]]) throws -> VerificationError? {
        let anchors = try TrustAnchors(certificates: [Data(ders[2])])
        do {
            try CertificateChain(ders: ders, anchors: anchors, markers: .appStore).requireValid(at: TestStore.now)
            return nil
        } catch {
            return error
        }
    }

    private func oracleRefuses(_ ders: [[UInt8]], at instant: Date = TestStore.now) async throws -> Bool {
        let certificates = try ders.map { try Certificate(derEncoded: $0) }
        var verifier = Verifier(rootCertificates: CertificateStore([certificates[2]])) {
            RFC5280Policy(fixedExpiryValidationTime: instant)
        }
        let intermediates = CertificateStore([certificates[1]])
        switch await verifier.validate(leaf: certificates[0], intermediates: intermediates) {
        case .validCertificate: return false
        case .couldNotValidate: return true
        }
    }
}
