import AppStoreServer
import AppStoreTrust
import Foundation
import Testing
import TestSupport

@Suite struct `Forged certificates in signed data` {
    private static let table = Result {
        try CertificateForgery.table(of: ForgedChains.chain(), withEncodings: true)
    }
    private static let parts = 0..<4

    private let table: ForgeryTable

    init() throws { table = try Self.table.get() }

    @Test(arguments: parts)
    func `each row is refused, for its own reason`(_ part: Int) async throws {
        var surprises: [String] = []
        for (index, row) in table.rows.enumerated() where index % Self.parts.count == part {
            let error = try await verdict(on: table.chains[index])
            if error?.code != row.code { surprises.append("\(row): \(error?.description ?? "accepted")") }
        }
        #expect(surprises == [])
    }

    @Test func `the same chain without a defect is accepted`() async throws {
        #expect(try await verdict(on: table.sound) == nil)
    }

    @Test func `the table is large and no row is there twice`() {
        #expect(table.rows.count >= 800)
        #expect(Set(table.rows.map(\.name)).count == table.rows.count)
    }

    @Test(.enabled("needs openssl 3 on the path") { await OpenSSLOpinion.isThere() })
    func `OpenSSL refuses each row as well, but for the differences with a reason`() async throws {
        let differences = try await table.differences(at: TestStore.now)
        #expect(differences.new == [], "differences without a reason")
        #expect(differences.gone == [], "reasons without a difference")
    }

    private func verdict(on ders: [[UInt8]]) async throws -> VerificationError? {
        let verifier = try TestStore.verifier { $0.anchors = ForgedChains.anchors(of: ders) }
        do {
            _ = try await verifier.transaction(ForgedChains.transaction(under: ders))
            return nil
        } catch let error as VerificationError {
            return error
        }
    }
}
