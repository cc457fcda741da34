import CounterfoilClient
import Foundation

/// A storage that cannot be read before the device is first unlocked.
actor LockedStorage: ClientStorage {
    private struct IsLocked: Error {}

    private var contents: [String: Data]
    private var isLocked = true
    private(set) var refusals = 0

    init(_ contents: [String: Data]) { self.contents = contents }

    func unlock() { isLocked = false }

    func load(_ name: String) throws -> Data? {
        guard isLocked else { return contents[name] }
        refusals += 1
        throw IsLocked()
    }

    func save(_ data: Data?, as name: String) { contents[name] = data }
}

/// A storage that is full for a while.
actor FullStorage: ClientStorage {
    private struct IsFull: Error {}

    private var contents: [String: Data] = [:]
    private var isFull = false

    func fill() { isFull = true }

    func makeRoom() { isFull = false }

    func load(_ name: String) -> Data? { contents[name] }

    func save(_ data: Data?, as name: String) throws {
        if isFull { throw IsFull() }
        contents[name] = data
    }
}
