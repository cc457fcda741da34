internal import Basics
internal import Crypto
internal import Foundation
package import Hummingbird
internal import Synchronization

/// Idempotency tickets for forms: each form is carried out once, however often it is sent.
///
/// Tickets are signed, so unsent forms need no storage. A repeated form gets the response of the first one, and waits
/// for it if necessary. Responses are kept for a minute; later, a repeated form gets a redirect to a page. Times are
/// those of a clock that only moves forward, so a wrong date has no effect.
package final class FormTickets: Sendable {
    /// The outcome of carrying out a form.
    package enum Outcome: Sendable {
        /// The form was carried out, or may have been. The ticket is used up.
        ///
        /// - Parameter later: The page to redirect to when the response is no longer kept.
        case done(Response, later: PageLink)
        /// Nothing happened. The form may be corrected and sent again.
        case notDone(Response)
    }

    /// The progress of a sent form.
    private enum Progress {
        /// The form is being carried out. Repeated requests wait for the response.
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
        /// Tickets issued at or before this second were evicted and are refused.
        var evictedUntil: Int64 = -1
    }

    private let key = SymmetricKey(size: .bits256)
    private let state = Mutex(State())
    private let now: @Sendable () -> ContinuousClock.Instant
    private let started: ContinuousClock.Instant
    private static let lifetime: Int64 = 12 * 3600
    /// The time for which a response is kept, in seconds.
    private static let responseLifetime: Int64 = 60
    private let capacity: Int

    package init(capacity: Int = 10_000, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        (self.capacity, self.now, started) = (capacity, now, now())
    }

    /// Returns a ticket for one form. It is valid only for this purpose.
    package func issue(for purpose: String) -> String {
        let bytes = (0..<8).map { _ in UInt8.random(in: 0...255) }
        let text = "\(seconds).\(Base64.encodeURL(bytes))"
        return text + "." + signature(of: text, purpose)
    }

    /// Performs a form unless it was performed before.
    ///
    /// - Parameter purpose: The purpose passed to ``issue(for:)``.
    /// - Returns: The response; nil if the ticket is too old, or was not issued by this process for this purpose.
    /// - Throws: `CancellationError` if the task is cancelled while another request performs the form.
    package func once(
        _ ticket: String?, for purpose: String, _ perform: () async -> Outcome
    ) async throws -> Response? {
        guard let ticket, let issued = issued(ticket, purpose) else { return nil }
        switch begin(ticket, issued) {
        case .unknown: return nil
        case .answered(let response): return response
        case .waits(let answers):
            for await response in answers { return response }
            throw CancellationError()
        case .first: return end(ticket, issued, await perform())
        }
    }

    /// The number of requests that wait for the response to a repeated form.
    package var waiting: Int {
        state.withLock { state in
            state.sent.values.reduce(0) { count, sent in
                if case .underWay(let waiting) = sent.progress { count + waiting.count } else { count }
            }
        }
    }

    /// Returns the second in which a ticket was issued; nil if its signature is invalid or it is too old.
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
            Self.dropResponses(before: second - Self.responseLifetime, &state)
            switch state.sent[ticket]?.progress {
            case .underWay(let waiting):
                let (answers, continuation) = AsyncStream.makeStream(of: Response.self)
                state.sent[ticket]?.progress = .underWay(waiting + [continuation])
                return .waits(answers)
            case .done(let response, _, let later): return .answered(response ?? .seeOther(later))
            case nil: break
            }
            guard issued > state.evictedUntil else { return .unknown }
            state.sent[ticket] = (issued, .underWay([]))
            if state.sent.count > capacity { evictOlderHalf(&state) }
            return .first
        }
    }

    private func end(_ ticket: String, _ issued: Int64, _ outcome: Outcome) -> Response {
        let (response, progress): (Response, Progress?) =
            switch outcome {
            case .done(let response, let later): (response, .done(response, at: seconds, later: later))
            case .notDone(let response): (response, nil)
            }
        let former = state.withLock { state in
            defer { state.sent[ticket] = progress.map { (issued: issued, progress: $0) } }
            return state.sent[ticket]?.progress
        }
        guard case .underWay(let waiting) = former else { return response }
        for continuation in waiting {
            continuation.yield(response)
            continuation.finish()
        }
        return response
    }

    private static func dropResponses(before second: Int64, _ state: inout State) {
        for (ticket, sent) in state.sent {
            guard case .done(.some, let at, let later) = sent.progress, at < second else { continue }
            state.sent[ticket]?.progress = .done(nil, at: at, later: later)
        }
    }

    /// Evicts the older half of the sent forms. Tickets as old as those are refused from now on.
    private func evictOlderHalf(_ state: inout State) {
        let order = state.sent.values.map(\.issued).sorted()
        state.evictedUntil = order[order.count / 2]
        state.sent = state.sent.filter { _, sent in
            // Keep forms in progress, so that waiting requests get the response.
            if case .underWay = sent.progress { return true }
            return sent.issued > state.evictedUntil
        }
    }

    /// The whole seconds since the start.
    private var seconds: Int64 { started.duration(to: now()).components.seconds }

    private func signature(of text: String, _ purpose: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Data((purpose + "\n" + text).utf8), using: key)
        return Base64.encodeURL(Array(Data(code).prefix(18)))
    }
}
