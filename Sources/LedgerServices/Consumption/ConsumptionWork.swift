internal import Synchronization

/// The apps and environments whose consumption requests are being answered.
final class ConsumptionWork: Sendable {
    private struct State {
        var scopes: Set<Int64> = []
        var failure: (any Error)?
    }

    private let state = Mutex(State())

    var scopes: Set<Int64> { state.withLock { $0.scopes } }

    func begin(in scope: Int64) { state.withLock { _ = $0.scopes.insert(scope) } }

    /// Records the end of the work in a scope, and its failure.
    func end(in scope: Int64, _ failure: (any Error)?) {
        state.withLock { state in
            state.scopes.remove(scope)
            state.failure = state.failure ?? failure
        }
    }

    /// Returns the first failure since the last call.
    func takeFailure() -> (any Error)? {
        state.withLock { state in
            defer { state.failure = nil }
            return state.failure
        }
    }
}
