internal import Synchronization

/// The live parts of pages, made once for all who look at the same page at the same moment and may see the same.
///
/// When something changes, every open page asks for itself at once. Twenty people who watch an outage cost as much as one.
final class SharedParts: Sendable {
    struct Key: Hashable, Sendable {
        /// The path and the query.
        var target: String
        /// Who may see less does not get what others may see.
        var scopes: Set<APIScope>
        var apps: Set<String>?
        var environments: Set<String>?
    }

    private struct Entry {
        var parts: Task<String, any Error>
        /// What had changed until it was begun.
        var changes: Int
        var begun: ContinuousClock.Instant
    }

    /// How many are remembered.
    private static let capacity = 64

    private let age: Duration
    private let entries = Mutex([Key: Entry]())

    /// - Parameter age: How long parts are given again, at most. What they say of the present is as old.
    init(age: Duration = .seconds(1)) { self.age = age }

    /// The parts of a page, made by whoever asks first after a change.
    ///
    /// - Parameter changes: How much has changed so far: what was begun before the last of it is not given again.
    func parts(
        _ key: Key, after changes: Int, make: @escaping @Sendable () async throws -> String
    ) async throws -> String {
        let now = ContinuousClock.now
        let parts = entries.withLock { entries in
            if let known = entries[key], known.changes == changes, now - known.begun < age { return known.parts }
            entries = entries.filter { [age] in now - $0.value.begun < age }
            let parts = Task { try await make() }
            if entries.count < Self.capacity { entries[key] = Entry(parts: parts, changes: changes, begun: now) }
            return parts
        }
        return try await parts.value
    }
}
