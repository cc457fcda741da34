import AppStoreModels
import AppStoreServer
import AppStoreTrust
import Foundation
import StoreSimulator
import Synchronization
import TestSupport

/// Sends a verifier's OCSP requests to a simulator's service without a network. Records delays instead of waiting.
final class ServiceTransport: RevocationTransport {
    private struct State {
        var service: OCSPService
        var delays: [TimeInterval] = []
        var requestedURLs: [URL] = []
    }

    private let state: Mutex<State>
    private let usesGET: Bool

    init(_ service: OCSPService, usesGET: Bool = false) {
        state = Mutex(State(service: service))
        self.usesGET = usesGET
    }

    var delays: [TimeInterval] { state.withLock(\.delays) }
    var requestedURLs: [URL] { state.withLock(\.requestedURLs) }

    func send(_ request: Data, to responder: URL, maximumResponseBytes: Int) async throws -> Data {
        let service = state.withLock { state in
            state.requestedURLs.append(responder)
            return state.service
        }
        let reply: OCSPService.Reply
        if usesGET {
            let path = request.base64EncodedString().addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            reply = service.reply(toPath: path, times: TestAuthority.times)
        } else {
            reply = service.reply(to: request, times: TestAuthority.times)
        }
        state.withLock { $0.delays.append(reply.delay) }
        guard let body = reply.body else { throw URLError(.networkConnectionLost) }
        return body
    }
}

/// A simulator's authority for tests, at a fixed time.
enum TestAuthority {
    static let base = "http://127.0.0.1:8080/ocsp"
    /// The real and the simulated clock show the same time.
    static let times = TestStore.now...TestStore.now
    static let validity = (TestStore.now - 400 * 86_400)...(TestStore.now + 400 * 86_400)

    static func configuration(_ base: String = base) throws -> StoreAuthority.Configuration {
        guard let url = URL(string: base) else { throw URLError(.badURL) }
        return StoreAuthority.Configuration(ocspBaseURL: url, validity: validity)
    }

    static func new() throws -> StoreAuthority { try StoreAuthority(configuration()) }
}

extension TestAuthority {
    static var transaction: JWSTransactionDecodedPayload {
        JWSTransactionDecodedPayload(
            transactionId: "1", originalTransactionId: "1", bundleId: TestStore.bundleId, productId: "p",
            purchaseDate: TestStore.now, originalPurchaseDate: TestStore.now, quantity: 1, type: .consumable,
            inAppOwnershipType: .purchased, signedDate: TestStore.now, environment: .sandbox)
    }
}

extension StoreAuthority {
    /// Returns a verifier that trusts this authority at the tests' time.
    func verifier(_ change: (inout SignedDataVerifier.Configuration) throws -> Void = { _ in }) throws
        -> SignedDataVerifier
    {
        try TestStore.verifier {
            $0.anchors = try TrustAnchors(certificates: [Data(root.der)])
            try change(&$0)
        }
    }
}
