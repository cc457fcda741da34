package import AppStoreTrust
package import Foundation
package import StoreSimulator
internal import Synchronization

/// The OCSP responders of an authority, without a network. Tests set their answers, and read which were requested.
package final class TestResponders: RevocationTransport {
    package typealias Answer = @Sendable (Data) async throws -> Data

    /// The certificate of the chain that a request is about.
    package enum Subject: String, Sendable, CaseIterable, CustomStringConvertible {
        case leaf, intermediate

        package var description: String { rawValue }
    }

    private struct State {
        var answers: [Subject: Answer]
        var requestedURLs: [URL] = []
    }

    private let state: Mutex<State>

    /// Responders that answer "good" for both certificates, valid for twelve hours.
    package init(_ authority: Authority) {
        let leaf = OCSPResponder(issuer: authority.intermediate, now: TestStore.now)
        let intermediate = OCSPResponder(issuer: authority.root, now: TestStore.now)
        state = Mutex(
            State(answers: [.leaf: { try leaf.answer($0) }, .intermediate: { try intermediate.answer($0) }]))
    }

    /// Sets the answer to all further requests about one certificate.
    package func set(_ subject: Subject, _ answer: @escaping Answer) {
        state.withLock { $0.answers[subject] = answer }
    }

    /// Sets the answer to all further requests.
    package func set(_ answer: @escaping Answer) {
        for subject in Subject.allCases { set(subject, answer) }
    }

    /// The URLs of all requests, in order.
    package var requestedURLs: [URL] { state.withLock { $0.requestedURLs } }

    /// Waits until `count` requests were made in all.
    package func waitForRequests(_ count: Int) async throws {
        try await waitUntil("\(count) requests were made") { requestedURLs.count >= count }
    }

    package func send(_ request: Data, to responder: URL, maximumResponseBytes: Int) async throws -> Data {
        let subject = responder.path() == "/intermediate" ? Subject.leaf : .intermediate
        let answer = state.withLock { state in
            state.requestedURLs.append(responder)
            return state.answers[subject]
        }
        guard let answer else { throw CancellationError() }
        return try await answer(request)
    }
}

extension RevocationOptions {
    /// Options that query the responders of the test authority.
    package init(_ policy: RevocationPolicy, _ responders: TestResponders) {
        self.init(policy: policy, transport: responders)
        allowedHosts = [Authority.ocspHost]
        // Long enough that tests never reach it, even on a busy machine.
        timeLimit = 600
        maximumWait = 600
    }
}

extension OCSPResponder {
    /// Returns the DER of the response to the DER of a request.
    package func answer(_ request: Data) throws -> Data { try answer(OCSPQuery(der: request)) }
}
