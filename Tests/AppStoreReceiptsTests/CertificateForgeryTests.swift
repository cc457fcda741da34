import AppStoreReceipts
import Foundation
import StoreSimulator
import SwiftASN1
import TestSupport
import Testing
import X509

@Suite struct `Forged certificates in receipts` {
    private static let parts = 0..<4

    private static let table = Task { try await makeTable() }

    private static func makeTable() async throws -> ForgeryTable {
        let authority = try ReceiptAuthority.shared.get()
        return try await CertificateForgery.table(
            of: ForgeableChain(
                leaf: authority.leaf, intermediate: authority.intermediate, root: authority.root, isRSA: true),
            withEncodings: false)
    }

    private let authority: ReceiptAuthority
    private let table: ForgeryTable

    init() async throws {
        authority = try ReceiptAuthority.shared.get()
        table = try await Self.table.value
    }

    @Test(arguments: parts)
    func `A receipt with a defective certificate is refused with the defect's code`(_ part: Int) async throws {
        var unexpected: [String] = []
        for await (index, row) in Yielding(table.rows.enumerated()) where index % Self.parts.count == part {
            let error = try verdict(on: table.chains[index])
            if error?.code != row.receiptCode { unexpected.append("\(row): \(error?.description ?? "accepted")") }
        }
        #expect(unexpected == [])
    }

    @Test func `The certificate chain without a defect is accepted`() throws {
        #expect(try verdict(on: table.validChain) == nil)
    }

    @Test func `The table has at least 200 forgeries with distinct names`() {
        #expect(table.rows.count >= 200)
        #expect(Set(table.rows.map(\.name)).count == table.rows.count)
    }

    @Test(.enabled("needs openssl 3 on the path") { await OpenSSLVerifier.isAvailable() })
    func `OpenSSL refuses every forgery except for documented differences`() async throws {
        let differences = try await table.differences(at: Date(timeIntervalSince1970: 1_640_995_200))
        #expect(differences.unexplained == [], "differences without a reason")
        #expect(differences.unused == [], "reasons without a difference")
    }

    private func verdict(on ders: [[UInt8]]) throws -> VerificationError? {
        var builder = ReceiptBuilder(payload: PayloadBuilder().bytes, authority: authority)
        builder.signer = try signer(of: ders)
        builder.certificates = ders
        let validator = ReceiptValidator(
            anchors: ForgedChains.anchors(of: ders), now: { Date(timeIntervalSince1970: 1_800_000_000) })
        let bytes = Data(try builder.bytes())
        do {
            _ = try validator.validate(contents: bytes)
            return nil
        } catch {
            return error
        }
    }

    /// The signer info names the leaf's issuer and serial number if they can be parsed.
    private func signer(of ders: [[UInt8]]) throws -> Issued {
        let leaf: Certificate
        do { leaf = try Certificate(derEncoded: ders[0]) } catch { return authority.leaf }
        guard !leaf.serialNumber.bytes.isEmpty else { return authority.leaf }
        return try Issued(certificate: leaf, key: authority.leaf.key)
    }
}
