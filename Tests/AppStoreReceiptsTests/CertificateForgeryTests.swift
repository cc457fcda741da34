import AppStoreReceipts
import Foundation
import StoreSimulator
import SwiftASN1
import Testing
import TestSupport
import X509

@Suite struct `Forged certificates in receipts` {
    private static let parts = 0..<4

    private static let table = Result {
        let authority = try ReceiptAuthority.shared.get()
        return try CertificateForgery.table(
            of: ForgeableChain(
                leaf: authority.leaf, intermediate: authority.intermediate, root: authority.root, isRSA: true),
            withEncodings: false)
    }

    private let authority: ReceiptAuthority
    private let table: ForgeryTable

    init() throws {
        authority = try ReceiptAuthority.shared.get()
        table = try Self.table.get()
    }

    @Test(arguments: parts)
    func `each row is refused, for its own reason`(_ part: Int) throws {
        var surprises: [String] = []
        for (index, row) in table.rows.enumerated() where index % Self.parts.count == part {
            let error = try verdict(on: table.chains[index])
            if error?.code != row.receiptCode { surprises.append("\(row): \(error?.description ?? "accepted")") }
        }
        #expect(surprises == [])
    }

    @Test func `the same chain without a defect is accepted`() throws {
        #expect(try verdict(on: table.sound) == nil)
    }

    @Test func `the table is large and no row is there twice`() {
        #expect(table.rows.count >= 200)
        #expect(Set(table.rows.map(\.name)).count == table.rows.count)
    }

    @Test(.enabled("needs openssl 3 on the path") { await OpenSSLOpinion.isThere() })
    func `OpenSSL refuses each row as well, but for the differences with a reason`() async throws {
        let differences = try await table.differences(at: Date(timeIntervalSince1970: 1_640_995_200))
        #expect(differences.new == [], "differences without a reason")
        #expect(differences.gone == [], "reasons without a difference")
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

    /// The container names its signer by the issuer and the serial number that the leaf has, where they can be read.
    private func signer(of ders: [[UInt8]]) throws -> Issued {
        let leaf: Certificate
        do { leaf = try Certificate(derEncoded: ders[0]) } catch { return authority.leaf }
        guard !leaf.serialNumber.bytes.isEmpty else { return authority.leaf }
        return try Issued(certificate: leaf, key: authority.leaf.key)
    }
}
