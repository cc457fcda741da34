import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import X509

/// Measures the verification of a notification with revocation checks while the OCSP responder is unusable.
///
/// Measures processor time instead of elapsed time, because waiting for a slow responder must not use the processor.
struct RevocationBenchmarks {
    private struct Variant {
        let name: String
        let verifier: SignedDataVerifier
        var seconds: [Double] = []
    }

    private let notification: [String]
    private var variants: [Variant] = []

    init() throws {
        let authority = try Authority()
        let transaction = JWSTransactionDecodedPayload.sample
        // A notification has three signed texts: itself and the two inside it.
        notification = try (0..<3).map { _ in try authority.sign(transaction) }
        var configuration = SignedDataVerifier.Configuration(apps: .only([App(bundleID: transaction.bundleId)]))
        configuration.anchors = try TrustAnchors(certificates: [Data(authority.root.der)])
        // The clock advances by an hour per second, as in a simulator: the cache must not depend on the date.
        let start = Date()
        configuration.now = { start + Date().timeIntervalSince(start) * 3600 }
        configuration.validationTime = .at(start)
        variants = [Variant(name: "off", verifier: try SignedDataVerifier(configuration))]
        for responder in UselessResponder.Kind.allCases {
            var options = RevocationOptions(
                policy: .soft, transport: UselessResponder(kind: responder, authority: authority))
            options.allowedHosts = [Authority.ocspHost]
            configuration.revocation = options
            variants.append(Variant(name: responder.rawValue, verifier: try SignedDataVerifier(configuration)))
        }
    }

    /// Runs all variants in turn, in several rounds, and reports the processor time relative to the policy `off`.
    mutating func run(rounds: Int = 15, count: Int = 300) async throws {
        for round in -1..<rounds {
            for index in variants.indices {
                let seconds = try await seconds(count, variants[index].verifier)
                // Ignore the first round, which fills caches and may wait for the responder.
                if round >= 0 { variants[index].seconds.append(seconds) }
            }
        }
        guard let off = variants.first else { return }
        for variant in variants.dropFirst() {
            let ratios = zip(variant.seconds, off.seconds).map { $0 / $1 }.sorted()
            report("revocation.\(variant.name) / revocation.off", ratios[ratios.count / 2], "ratio")
        }
    }

    private func seconds(_ count: Int, _ verifier: SignedDataVerifier) async throws -> Double {
        let start = Processor.time
        for _ in 0..<count {
            for text in notification { _ = try await verifier.transaction(text) }
        }
        return Processor.time - start
    }
}

/// A responder without a usable response.
private struct UselessResponder: RevocationTransport {
    enum Kind: String, CaseIterable {
        /// The response has a valid signature but has expired.
        case useless
        /// The responder does not respond within ten seconds.
        case slow
        /// The connection is refused.
        case refused
    }

    let kind: Kind
    let authority: Authority

    func send(_ request: Data, to responder: URL, maximumResponseBytes: Int) async throws -> Data {
        switch kind {
        case .useless:
            let issuer = responder.path() == "/intermediate" ? authority.intermediate : authority.root
            var answer = OCSPResponder(issuer: issuer, now: Date() - 86_400)
            answer.nextUpdate = Date() - 3600
            return try answer.answer(OCSPQuery(der: request))
        case .slow:
            try await Task.sleep(for: .seconds(10))
            throw POSIXError(.ETIMEDOUT)
        case .refused:
            throw POSIXError(.ECONNREFUSED)
        }
    }
}
