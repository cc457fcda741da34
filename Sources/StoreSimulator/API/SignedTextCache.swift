internal import Synchronization

/// Signed texts by what was signed, for a clock that stands still: until it moves on, the same question has the same
/// answer, and only the first one costs a signature.
final class SignedTextCache: Sendable {
    private struct State {
        var generation = 0
        var texts: [[UInt8]: String] = [:]
    }

    /// About 14 MB.
    private static let capacity = 2048

    private let state = Mutex(State())

    /// The text of a payload, signed by `sign` unless it is known from the leaf of this generation.
    func text(
        of payload: [UInt8], generation: Int, sign: (_ payload: [UInt8]) throws -> String
    ) rethrows -> String {
        let known = state.withLock { state -> String? in
            if state.generation != generation { state = State(generation: generation) }
            return state.texts[payload]
        }
        if let known { return known }
        let text = try sign(payload)
        state.withLock { state in
            guard state.generation == generation else { return }
            if state.texts.count >= Self.capacity { state.texts.removeAll(keepingCapacity: true) }
            state.texts[payload] = text
        }
        return text
    }
}
