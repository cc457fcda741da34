package import AppStoreTrust
package import Foundation
package import StoreSimulator
internal import Synchronization

/// The revocation responders of an authority, without a network: what they answer is up to the test, who was asked is
/// counted.
package final class TestResponders: RevocationTransport {
    package typealias Answer = @Sendable (Data) async throws -> Data

    /// Which certificate of the chain a question is about.
    package enum Subject: String, Sendable, CaseIterable, CustomStringConvertible {
        case leaf, intermediate

        package var description: String { rawValue }
    }

    private struct State {
        var answers: [Subject: Answer]
        var asked: [URL] = []
        var waiting: [(count: Int, CheckedContinuation<Void, Never>)] = []
    }

    private let state: Mutex<State>

    /// Both certificates are good, for twelve hours.
    package init(_ authority: Authority) {
        let leaf = OCSPResponder(issuer: authority.intermediate, now: TestStore.now)
        let intermediate = OCSPResponder(issuer: authority.root, now: TestStore.now)
        state = Mutex(
            State(answers: [.leaf: { try leaf.answer($0) }, .intermediate: { try intermediate.answer($0) }]))
    }

    /// Answers from now on like this.
    package func set(_ subject: Subject, _ answer: @escaping Answer) {
        state.withLock { $0.answers[subject] = answer }
    }

    /// Answers from now on like this to every question.
    package func set(_ answer: @escaping Answer) {
        for subject in Subject.allCases { set(subject, answer) }
    }

    /// Who was asked, in order.
    package var asked: [URL] { state.withLock { $0.asked } }

    /// Waits until so many questions were asked in all.
    package func untilAsked(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.asked.count < count { state.waiting.append((count, continuation)) }
                return state.asked.count >= count
            }
            if isThere { continuation.resume() }
        }
    }

    package func answer(to request: Data, from responder: URL, maximumBytes: Int) async throws -> Data {
        let subject = responder.path() == "/intermediate" ? Subject.leaf : .intermediate
        let (answer, ready) = state.withLock { state in
            state.asked.append(responder)
            let ready = state.waiting.filter { $0.count <= state.asked.count }
            state.waiting.removeAll { $0.count <= state.asked.count }
            return (state.answers[subject], ready)
        }
        for (_, continuation) in ready { continuation.resume() }
        guard let answer else { throw CancellationError() }
        return try await answer(request)
    }
}

extension RevocationOptions {
    /// Asks these responders of the test authority.
    package init(_ policy: RevocationPolicy, _ responders: TestResponders) {
        self.init(policy: policy, transport: responders)
        allowedHosts = [Authority.ocspHost]
        // Far above what a busy machine takes: no test waits for it.
        timeLimit = 60
        maximumWait = 60
    }
}

/// A door that stays shut until it is opened.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    package func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits for the opening, whether cancelled or not.
    package func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
