import AppStoreReceipts
import AppStoreTrust
import Foundation
import TestSupport
import Testing
import X509

@testable import StoreSimulator

/// Generating RSA keys is slow, so a single test covers everything that needs them.
@Suite struct `The simulator's authority for receipts` {
    @Test func `Receipts validate under one root across restarts, and OCSP covers its certificates`()
        async throws
    {
        try await Tool.inTemporaryFolder { folder in
            let first = try StoreAuthority(TestAuthority.configuration(), directory: folder)
            #expect(first.existingReceiptAuthority == nil)
            let receipts = try first.receiptAuthority()
            #expect(try first.receiptAuthority().root.der == receipts.root.der)
            let contents = ReceiptContents(
                bundleID: TestStore.bundleId, version: "1", creationDate: TestStore.now, deviceID: Data(count: 16),
                opaqueValue: Array(0..<16))
            let receipt = try receipts.sign(contents)

            let file = folder.appending(path: "receipt-authority.json")
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)

            let second = try StoreAuthority(TestAuthority.configuration("http://127.0.0.1:9/ocsp"), directory: folder)
            let reissued = try second.receiptAuthority()
            #expect(reissued.root.der == receipts.root.der)
            #expect(reissued.leaf.certificate.publicKey == receipts.leaf.certificate.publicKey)
            #expect(reissued.leaf.names(responder: "http://127.0.0.1:9/ocsp/intermediate-receipts"))

            let validator = ReceiptValidator(anchors: try TrustAnchors(certificates: [Data(reissued.root.der)]))
            for data in [receipt, try reissued.sign(contents)] { _ = try validator.validate(contents: data) }

            try expectOCSPAnswers(of: first, receipts)
            let shown = folder.appending(path: "shown")
            try first.write(to: shown)
            let names = try FileManager.default.contentsOfDirectory(atPath: shown.path)
            #expect(names.contains("receipt-root.cer") && names.contains("receipt-leaf.pem"))
        }
    }

    private func expectOCSPAnswers(of authority: StoreAuthority, _ receipts: ReceiptAuthority) throws {
        var service = OCSPService(authority)
        service.modes[.receiptLeaf] = .revoked(at: TestStore.now)
        for (subject, issuer, status) in [
            (receipts.intermediate, receipts.root, .good),
            (receipts.leaf, receipts.intermediate, .revoked(TestStore.now)),
        ] as [(Issued, Issued, VerifiedOCSPResponse.Status)] {
            let question = try OCSPRequest(certificate: subject.certificate, issuer: issuer.certificate)
            let body = try #require(try service.reply(to: question.encoded(), times: TestAuthority.times).body)
            let answer = try VerifiedOCSPResponse(
                der: body, to: question, issuer: issuer.certificate, now: TestStore.now)
            #expect(answer.status == status)
        }
    }
}
