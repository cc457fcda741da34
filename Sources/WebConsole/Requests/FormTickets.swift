internal import Basics
internal import Crypto
package import Foundation
internal import Synchronization

/// Identifiers by which a form is carried out once, however often it is sent.
///
/// A ticket is signed, so that nothing is kept for forms that nobody sends. What is kept for those that were sent is where
/// the first time led: the second time leads there too.
package final class FormTickets: Sendable {
    /// What is known of a ticket that came with a form.
    package enum Use: Sendable, Equatable {
        /// The form was not sent before. From now on it was.
        case first
        /// It was sent before; where that led, once that is known.
        case again(PageLink?)
        /// It is too old, or not of this process.
        case unknown
    }

    private struct State {
        /// The tickets that were used, with where they led.
        var used: [String: (issued: Int64, result: PageLink?)] = [:]
        /// Tickets issued at or before this second are forgotten, and refused.
        var forgottenUntil: Int64 = 0
    }

    private let key = SymmetricKey(size: .bits256)
    private let state = Mutex(State())
    private let now: @Sendable () -> Date
    private static let lifetime: Int64 = 12 * 3600
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

    /// Says whether the form may be carried out. Of two at once it says so to one.
    package func use(_ ticket: String?, for purpose: String) -> Use {
        guard let ticket, ticket.utf8.count <= 128 else { return .unknown }
        let parts = ticket.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let issued = Int64(parts[0]), issued >= 0, issued <= seconds,
            seconds - issued <= Self.lifetime,
            Self.isSame(String(parts[2]), signature(of: "\(parts[0]).\(parts[1])", purpose))
        else { return .unknown }
        return state.withLock { state in
            if let known = state.used[ticket] { return .again(known.result) }
            guard issued > state.forgottenUntil else { return .unknown }
            state.used[ticket] = (issued, nil)
            if state.used.count > capacity { forget(&state) }
            return .first
        }
    }

    /// Keeps where a form led.
    package func finish(_ ticket: String?, with result: PageLink) {
        guard let ticket else { return }
        state.withLock { $0.used[ticket]?.result = result }
    }

    /// Gives a ticket back whose form was not carried out: it may be corrected and sent again.
    package func giveBack(_ ticket: String?) {
        guard let ticket else { return }
        state.withLock { _ = $0.used.removeValue(forKey: ticket) }
    }

    /// Forgets the older half. What was issued as early as those is refused from now on.
    private func forget(_ state: inout State) {
        let order = state.used.values.map(\.issued).sorted()
        state.forgottenUntil = order[order.count / 2]
        state.used = state.used.filter { $0.value.issued > state.forgottenUntil }
    }

    private var seconds: Int64 { Int64(max(0, now().timeIntervalSince1970)) }

    private func signature(of text: String, _ purpose: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Data((purpose + "\n" + text).utf8), using: key)
        return Base64.encodeURL(Array(Data(code).prefix(18)))
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
