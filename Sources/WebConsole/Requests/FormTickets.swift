internal import Basics
internal import Crypto
package import Foundation
package import Hummingbird
internal import Synchronization

/// Identifiers by which a form is carried out once, however often it is sent.
///
/// A ticket is signed, so that nothing is kept for forms that nobody sends. Who sends a form again gets the answer of the first
/// time, after waiting for it where that is still under way. The answer is kept for a minute; later the form leads to a page.
package final class FormTickets: Sendable {
    /// What came of a form.
    package enum Outcome: Sendable {
        /// It was carried out, or may have been. The ticket is used up.
        ///
        /// - Parameter later: Where the form leads when the answer is no longer kept.
        case done(Response, later: PageLink)
        /// Nothing happened: the form may be corrected and sent again.
        case notDone(Response)
    }

    /// What is known of a form that was sent.
    private enum Progress {
        /// Those who sent it again wait.
        case underWay([AsyncStream<Response>.Continuation])
        case done(Response?, at: Int64, later: PageLink)
    }

    private enum Beginning {
        case first
        case waits(AsyncStream<Response>)
        case answered(Response)
        case unknown
    }

    private struct State {
        var sent: [String: (issued: Int64, progress: Progress)] = [:]
        /// Tickets issued at or before this second are forgotten, and refused.
        var forgottenUntil: Int64 = 0
    }

    private let key = SymmetricKey(size: .bits256)
    private let state = Mutex(State())
    private let now: @Sendable () -> Date
    private static let lifetime: Int64 = 12 * 3600
    /// How long an answer is kept, in seconds.
    private static let keepingAnswers: Int64 = 60
    private let capacity: Int

    package init(capacity: Int = 10_000, now: @escaping @Sendable () -> Date = { Date() }) {
        (self.capacity, self.now) = (capacity, now)
    }

    /// A ticket for one form, of one purpose: a ticket of another form does not fit.
    package func issue(for purpose: String) -> String {
        var bytes = [UInt8](repeating: 0, count: 8)
        for index in bytes.indices { bytes[index] = .random(in: 0...255) }
        let text = "\(seconds).\(Base64.encodeURL(bytes))"
        return text + "." + signature(of: text, purpose)
    }

    /// Carries out a form unless that was done before.
    ///
    /// - Parameter purpose: As ``issue(for:)`` had it.
    /// - Returns: The answer; nil if the ticket is too old, or not of this process and purpose.
    /// - Throws: `CancellationError` to who was cancelled while another request carried the form out.
    package func once(
        _ ticket: String?, for purpose: String, _ carryOut: () async -> Outcome
    ) async throws -> Response? {
        guard let ticket, let issued = issued(ticket, purpose) else { return nil }
        switch begin(ticket, issued) {
        case .unknown: return nil
        case .answered(let response): return response
        case .waits(let answers):
            for await response in answers { return response }
            throw CancellationError()
        case .first: return end(ticket, issued, await carryOut())
        }
    }

    /// How many wait for the answer of a form that is under way.
    package var waiting: Int {
        state.withLock { state in
            state.sent.values.reduce(0) { count, sent in
                if case .underWay(let waiting) = sent.progress { count + waiting.count } else { count }
            }
        }
    }

    /// When a ticket was issued; nil if it is not genuine, or too old.
    private func issued(_ ticket: String, _ purpose: String) -> Int64? {
        guard ticket.utf8.count <= 128 else { return nil }
        let parts = ticket.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let issued = Int64(parts[0]), issued >= 0, issued <= seconds,
            seconds - issued <= Self.lifetime,
            String(parts[2]).isSameSecret(as: signature(of: "\(parts[0]).\(parts[1])", purpose))
        else { return nil }
        return issued
    }

    private func begin(_ ticket: String, _ issued: Int64) -> Beginning {
        let second = seconds
        return state.withLock { state in
            Self.dropAnswers(before: second - Self.keepingAnswers, &state)
            switch state.sent[ticket]?.progress {
            case .underWay(let waiting):
                let (answers, continuation) = AsyncStream.makeStream(of: Response.self)
                state.sent[ticket]?.progress = .underWay(waiting + [continuation])
                return .waits(answers)
            case .done(let response, _, let later): return .answered(response ?? .seeOther(later))
            case nil: break
            }
            guard issued > state.forgottenUntil else { return .unknown }
            state.sent[ticket] = (issued, .underWay([]))
            if state.sent.count > capacity { forget(&state) }
            return .first
        }
    }

    private func end(_ ticket: String, _ issued: Int64, _ outcome: Outcome) -> Response {
        let second = seconds
        let (response, waiting) = state.withLock { state in
            var waiting: [AsyncStream<Response>.Continuation] = []
            if case .underWay(let others) = state.sent[ticket]?.progress { waiting = others }
            switch outcome {
            case .done(let response, let later):
                state.sent[ticket] = (issued, .done(response, at: second, later: later))
                return (response, waiting)
            case .notDone(let response):
                state.sent[ticket] = nil
                return (response, waiting)
            }
        }
        for continuation in waiting {
            continuation.yield(response)
            continuation.finish()
        }
        return response
    }

    private static func dropAnswers(before second: Int64, _ state: inout State) {
        for (ticket, sent) in state.sent {
            guard case .done(.some, let at, let later) = sent.progress, at < second else { continue }
            state.sent[ticket]?.progress = .done(nil, at: at, later: later)
        }
    }

    /// Forgets the older half. What was issued as early as those is refused from now on.
    private func forget(_ state: inout State) {
        let order = state.sent.values.map(\.issued).sorted()
        state.forgottenUntil = order[order.count / 2]
        state.sent = state.sent.filter { _, sent in
            // Those who wait for an answer get it.
            if case .underWay = sent.progress { return true }
            return sent.issued > state.forgottenUntil
        }
    }

    private var seconds: Int64 { Int64(max(0, now().timeIntervalSince1970)) }

    private func signature(of text: String, _ purpose: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Data((purpose + "\n" + text).utf8), using: key)
        return Base64.encodeURL(Array(Data(code).prefix(18)))
    }
}
