import AppStoreServer
import AppStoreTrust
import Foundation
import TestSupport
import Testing

@Suite struct `Forged certificates in signed data` {
    private static let table = Task {
        try await CertificateForgery.table(of: ForgedChains.chain(), withEncodings: true)
    }
    private static let parts = 0..<4

    private let table: ForgeryTable

    init() async throws { table = try await Self.table.value }

    @Test(arguments: parts)
    func `Signed data with a defective certificate is refused with the defect's code`(_ part: Int) async throws {
        var unexpected: [String] = []
        for await (index, row) in Yielding(table.rows.enumerated()) where index % Self.parts.count == part {
            let error = try await verdict(on: table.chains[index])
            if error?.code != row.code { unexpected.append("\(row): \(error?.description ?? "accepted")") }
        }
        #expect(unexpected == [])
    }

    @Test func `The certificate chain without a defect is accepted`() async throws {
        #expect(try await verdict(on: table.validChain) == nil)
    }

    @Test func `The table has at least 800 forgeries with distinct names`() {
        #expect(table.rows.count >= 800)
        #expect(Set(table.rows.map(\.name)).count == table.rows.count)
    }

    @Test(.enabled("needs openssl 3 on the path") { await OpenSSLVerifier.isAvailable() })
    func `OpenSSL refuses every forgery except for documented differences`() async throws {
        let differences = try await table.differences(at: TestStore.now)
        #expect(differences.unexplained == [], "differences without a reason")
        #expect(differences.unused == [], "reasons without a difference")
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
