import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import X509

/// What a notification costs when it is asked whether certificates were revoked and the responder is of no use.
///
/// Processor time, not time on the wall: a responder that answers late must cost nothing while it is waited for.
struct RevocationBenchmarks {
    private struct Contender {
        let name: String
        let verifier: SignedDataVerifier
        var seconds: [Double] = []
    }

    private let notification: [String]
    private var contenders: [Contender] = []

    init() throws {
        let authority = try Authority()
        let transaction = JWSTransactionDecodedPayload.sample
        // A notification and the two texts that are signed inside it.
        notification = try (0..<3).map { _ in try authority.sign(transaction) }
        var configuration = SignedDataVerifier.Configuration(apps: .only([App(bundleID: transaction.bundleId)]))
        configuration.anchors = try TrustAnchors(certificates: [Data(authority.root.der)])
        // An hour a second, as in a rehearsal: what is remembered must not depend on the date.
        let start = Date()
        configuration.now = { start + Date().timeIntervalSince(start) * 3600 }
        configuration.validAt = .at(start)
        contenders = [Contender(name: "off", verifier: try SignedDataVerifier(configuration))]
        for responder in UselessResponder.Kind.allCases {
            var options = RevocationOptions(
                policy: .soft, transport: UselessResponder(kind: responder, authority: authority))
            options.allowedHosts = [Authority.ocspHost]
            configuration.revocation = options
            contenders.append(Contender(name: responder.rawValue, verifier: try SignedDataVerifier(configuration)))
        }
    }

    /// Verifies in turn, round after round, and reports the processor time relative to the policy `off`.
    mutating func run(rounds: Int = 15, count: Int = 300) async throws {
        for round in -1..<rounds {
            for index in contenders.indices {
                let seconds = try await seconds(count, contenders[index].verifier)
                // The first round fills caches, and is the one that may wait.
                if round >= 0 { contenders[index].seconds.append(seconds) }
            }
        }
        guard let off = contenders.first else { return }
        for contender in contenders.dropFirst() {
            let ratios = zip(contender.seconds, off.seconds).map { $0 / $1 }.sorted()
            report("revocation.\(contender.name) / revocation.off", ratios[ratios.count / 2], "ratio")
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

/// A responder nobody can learn anything from.
private struct UselessResponder: RevocationTransport {
    enum Kind: String, CaseIterable {
        /// Signed as it should be, but past its end.
        case useless
        /// Ten seconds late.
        case slow
        /// The connection is refused.
        case refused
    }

    let kind: Kind
    let authority: Authority

    func answer(to request: Data, from responder: URL, maximumBytes: Int) async throws -> Data {
        switch kind {
        case .useless:
            let issuer = responder.path() == "/intermediate" ? authority.intermediate : authority.root
            var answer = OCSPResponder(issuer: issuer, now: Date() - 86_400)
            answer.nextUpdate = Date() - 3600
            return try answer.answer(request)
        case .slow:
            try await Task.sleep(for: .seconds(10))
            throw POSIXError(.ETIMEDOUT)
        case .refused:
            throw POSIXError(.ECONNREFUSED)
        }
    }
}
