import Basics
import Foundation
import StoreSimulator
import SwiftASN1
import TestSupport
import Testing
@_spi(FixedExpiryValidationTime) import X509

@testable import AppStoreTrust

/// swift-certificates has its own path builder and RFC 5280 policy. It does not check markers, key usage or the number
/// of certificates.
@Suite struct `Chain rules against swift-certificates' verifier` {
    @Test(arguments: VerificationCases.certificates + VerificationCases.dates + VerificationCases.edges)
    func `Every chain that swift-certificates refuses is refused here as well`(_ testCase: VerificationCase)
        async throws
    {
        let chain = try testCase.make().authority.chain
        let ours = try verdict(of: chain)
        guard try await oracleRefuses(chain) else { return }
        #expect(ours != nil)
    }

    @Test(arguments: VerificationCases.dates)
    func `swift-certificates refuses every chain with an expired or not yet valid certificate`(
        _ testCase: VerificationCase
    )
        async throws
    {
        #expect(try await oracleRefuses(testCase.make().authority.chain))
    }

    @Test func `swift-certificates refuses these of our forged chains, and no others`() async throws {
        var shared: Set<String> = []
        for testCase in VerificationCases.certificates where try await oracleRefuses(testCase.make().authority.chain) {
            shared.insert(testCase.name)
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

    @Test func `Both verifiers accept a valid chain`() async throws {
        let chain = try TestStore.authority().chain
        #expect(try verdict(of: chain) == nil)
        #expect(try await !oracleRefuses(chain))
    }

    @Test(
        .enabled(if: Fixtures.hasSignedData, "\(Fixtures.absence)"),
        arguments: Fixtures.signedData)
    func `Both verifiers accept Apple's chains`(_ file: GenuineJWS) async throws {
        struct Header: Decodable { let x5c: [Data] }
        let segment = try #require(Base64.decodeURL(file.text().prefix { $0 != "." }))
        let chain = try JSONDecoder().decode(Header.self, from: Data(segment)).x5c.map { Array($0) }
        let proven = try CertificateChain(ders: chain, anchors: .apple, markers: .appStore)
        try proven.certificates.requireValid(at: file.signedDate)
        #expect(try await !oracleRefuses(chain, at: file.signedDate))
    }

    private func verdict(of ders: [[UInt8]]) throws -> VerificationError? {
        let anchors = try TrustAnchors(certificates: [Data(ders[2])])
        do {
            let chain = try CertificateChain(ders: ders, anchors: anchors, markers: .appStore)
            try chain.certificates.requireValid(at: TestStore.now)
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
