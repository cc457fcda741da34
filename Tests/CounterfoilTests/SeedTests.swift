import AppStoreReceipts
import AppStoreServer
import AppStoreTrust
import Foundation
import TestSupport
import Testing

/// The short version of `make fuzz`: the fuzzers' seeds, as they are and changed at random, through the public parsers.
@Suite("The fuzzers' seeds")
struct SeedTests {
    private static let variants = 40

    @Test("are read or refused as signed data and never trap")
    func signedData() async throws {
        var configuration = SignedDataVerifier.Configuration(apps: .any([.production, .sandbox, .xcode]))
        configuration.anchors = try anchors("signed-data-root.cer")
        configuration.enrolledXcodeCertificates = [try trust("xcode.cer")]
        configuration.validAt = .signingDate
        let verifier = try SignedDataVerifier(configuration)
        var accepted = 0
        for (bytes, isChanged) in try variants(of: "signed-data") + variants(of: "payload-json") {
            do {
                _ = try await verifier.anyPayload(String(decoding: bytes, as: UTF8.self))
                accepted += isChanged ? 0 : 1
            } catch {
                #expect(!error.isRetryable)
            }
        }
        #expect(accepted > 0, "some seeds are signed")
    }

    @Test("are read or refused as receipts and never trap", arguments: ["unified-receipts", "legacy-receipts"])
    func receipts(_ corpus: String) throws {
        let certificates = try ["receipt-root.cer", "receipt-intermediate.cer", "receipt-old-intermediate.cer"].map(
            trust)
        let validator = ReceiptValidator(
            anchors: try TrustAnchors(certificates: [certificates[0]]),
            intermediates: try CertificatePool(certificates: certificates),
            xcodeCertificates: try anchors("receipt-xcode.cer"))
        var accepted = 0
        for (bytes, isChanged) in try variants(of: corpus) + variants(of: "transaction-ids") {
            let contents = Data(bytes)
            if let transaction = try? UnverifiedReceipt.transactionID(inContents: contents) {
                #expect(!transaction.isEmpty)
            }
            if (try? validator.validate(contents: contents)) != nil { accepted += isChanged ? 0 : 1 }
        }
        #expect(accepted > 0, "some seeds are signed")
    }

    private func trust(_ name: String) throws -> Data {
        try Data(contentsOf: Fixtures.package.appending(path: "Fuzz/Trust/\(name)"))
    }

    private func anchors(_ name: String) throws -> TrustAnchors { try TrustAnchors(certificates: [trust(name)]) }

    private func variants(of corpus: String) throws -> [(bytes: [UInt8], isChanged: Bool)] {
        let folder = Fixtures.package.appending(path: "Fuzz/Corpus/\(corpus)")
        var generator = SeededGenerator(seed: 2026)
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path < $1.path }
            .flatMap { file in
                let seed = [UInt8](try Data(contentsOf: file))
                return [(seed, false)] + (0..<Self.variants).map { _ in (generator.mutated(seed), true) }
            }
    }
}
