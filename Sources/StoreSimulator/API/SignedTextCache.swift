internal import Synchronization

/// A cache of signed texts by payload, for frozen clocks. While the clock is frozen, repeated requests have the same
/// response, so only the first one has to sign.
final class SignedTextCache: Sendable {
    private struct State {
        var generation = 0
        var texts: [[UInt8]: String] = [:]
    }

    /// The maximum number of texts, about 14 MB.
    private static let capacity = 2048

    private let state = Mutex(State())

    /// Returns the signed text of a payload. Calls `sign` unless the cache has a text that was signed by the leaf
    /// certificate of this generation.
    func text(of payload: [UInt8], generation: Int, sign: (_ payload: [UInt8]) throws -> String) rethrows -> String {
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
