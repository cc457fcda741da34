import AppStoreReceipts
import AppStoreServer
import AppStoreTrust
import Foundation
import StoreSimulator
import TestSupport
import Testing

/// The short version of `make fuzz`: the public parsers read the fuzzers' seeds, unchanged and mutated.
@Suite struct `The fuzzers' seeds` {
    private static let variants = 40

    @Test func `Seeds are accepted or refused as signed data, without a crash`() async throws {
        var configuration = SignedDataVerifier.Configuration(apps: .any([.production, .sandbox, .xcode]))
        configuration.anchors = try anchors("signed-data-root.cer")
        configuration.enrolledXcodeCertificates = [try trust("xcode.cer")]
        configuration.validationTime = .signingDate
        let verifier = try SignedDataVerifier(configuration)
        var accepted = 0
        for await (bytes, isChanged) in try Yielding(variants(of: "signed-data") + variants(of: "payload-json")) {
            do {
                _ = try await verifier.anyPayload(String(decoding: bytes, as: UTF8.self))
                accepted += isChanged ? 0 : 1
            } catch {
                #expect(!error.isRetryable)
            }
        }
        #expect(accepted > 0, "some seeds are signed")
    }

    @Test(arguments: ["unified-receipts", "legacy-receipts"])
    func `Seeds are accepted or refused as receipts, without a crash`(_ corpus: String) async throws {
        let certificates = try ["receipt-root.cer", "receipt-intermediate.cer", "receipt-old-intermediate.cer"].map(
            trust)
        let validator = ReceiptValidator(
            anchors: try TrustAnchors(certificates: [certificates[0]]),
            intermediates: try CertificatePool(certificates: certificates),
            xcodeCertificates: try anchors("receipt-xcode.cer"))
        var accepted = 0
        for await (bytes, isChanged) in try Yielding(variants(of: corpus) + variants(of: "transaction-ids")) {
            let contents = Data(bytes)
            if let transaction = try? UnverifiedReceipt.transactionID(inContents: contents) {
                #expect(!transaction.isEmpty)
            }
            if (try? validator.validate(contents: contents)) != nil { accepted += isChanged ? 0 : 1 }
        }
        #expect(accepted > 0, "some seeds are signed")
    }

    @Test func `Seeds are accepted or refused as simulator files, without a crash`() async throws {
        var accepted = 0
        for await (bytes, isChanged) in try Yielding(variants(of: "catalogues") + variants(of: "scenarios", 5)) {
            let text = String(decoding: bytes, as: UTF8.self)
            let catalogues = [try? Catalogue(yaml: text), try? StoreKitConfiguration(Data(bytes)).catalogue]
            for catalogue in catalogues.compactMap(\.self) {
                try catalogue.validate()
                accepted += isChanged ? 0 : 1
            }
            if (try? Scenario(yaml: text)) != nil { accepted += isChanged ? 0 : 1 }
        }
        #expect(accepted > 20, "the seeds are catalogues and scenarios")
    }

    @Test func `Seeds are answered or refused as simulator requests, without a crash`() async throws {
        let now = Date(timeIntervalSince1970: 1_760_003_600)
        var answered = 0
        for await (bytes, isChanged) in try Yielding(variants(of: "api-requests", 5)) where bytes.count > 2 {
            let lines = bytes.dropFirst(2).split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
            let texts = lines.map { String(decoding: $0, as: UTF8.self) } + ["", ""]
            let endpoint = AppStoreEndpoint.all[Int(bytes[0]) % AppStoreEndpoint.all.count]
            let path = endpoint.parameters.map { ($0, texts[0]) }
            let body = lines.count > 2 ? Data(lines[2]) : Data()
            var store = Self.store
            do {
                _ = try store.respond(
                    to: APIRequest(
                        endpoint, path: Dictionary(path) { first, _ in first }, query: texts[1],
                        body: body), at: now)
                answered += isChanged ? 0 : 1
            } catch { #expect((400..<500).contains(error.status)) }
        }
        #expect(answered > 0, "some requests need nothing that there is not")
    }

    @Test func `Seeds are executed or refused as commands, without a crash`() async throws {
        var store = Self.store
        var done = 0
        for await (bytes, _) in try Yielding(variants(of: "commands")) {
            for line in bytes.dropFirst().split(separator: 0x0A) {
                guard let command = try? JSONDecoder().decode(StoreCommand.self, from: Data(line)) else { continue }
                if (try? store.perform(command, at: Date(timeIntervalSince1970: 1_760_003_600))) != nil { done += 1 }
            }
        }
        #expect(done > 0, "some seeds are commands")
    }

    private static let store = Store(
        environment: .production, app: SimulatedApp(), catalogue: .example, settings: .production, seed: 1)

    private func trust(_ name: String) throws -> Data {
        try Data(contentsOf: Fixtures.package.appending(path: "Fuzz/Trust/\(name)"))
    }

    private func anchors(_ name: String) throws -> TrustAnchors { try TrustAnchors(certificates: [trust(name)]) }

    private func variants(
        of corpus: String, _ count: Int = variants
    ) throws -> [(bytes: [UInt8], isChanged: Bool)] {
        let folder = Fixtures.seeds(of: corpus)
        var generator = SeededGenerator(seed: 2026)
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path < $1.path }
            .flatMap { file in
                let seed = [UInt8](try Data(contentsOf: file))
                return [(seed, false)] + (0..<count).map { _ in (generator.mutated(seed), true) }
            }
    }
}
