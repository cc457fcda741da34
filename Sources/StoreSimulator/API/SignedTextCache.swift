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

    /// Returns the signed text of a payload. Signs it unless the cache has a text with the signer's leaf certificate.
    func text(of payload: [UInt8], by signer: PayloadSigner) throws -> String {
        let generation = signer.generation
        let known = state.withLock { state -> String? in
            if state.generation != generation { state = State(generation: generation) }
            return state.texts[payload]
        }
        if let known { return known }
        let text = try signer.sign(json: payload)
        state.withLock { state in
            guard state.generation == generation else { return }
            if state.texts.count >= Self.capacity { state.texts.removeAll(keepingCapacity: true) }
            state.texts[payload] = text
        }
        return text
    }
}
