package import Foundation

/// Keeps what was refused, as much of it as there is room for.
package protocol RefusalStorage: Sendable {
    /// Keeps refusals.
    func commit(_ refusals: [Refusal]) async throws

    /// Drops what is beyond a limit, in pieces, each a transaction. Clients give up what they have more of than others, the
    /// oldest first.
    func dropRefusals(beyond limit: RefusalStorageLimit) async throws

    /// What was refused, the last first.
    func refusals(before id: Int64, limit: Int) async throws -> [KeptRefusal]

    /// How often each reason was given in a time, its end not included.
    ///
    /// - Parameter depth: How many of the last refusals are looked at, whenever they came.
    func refusalCounts(from start: Milliseconds, to end: Milliseconds, amongLast depth: Int64) async throws
        -> [String: Int64]
}

/// How much of what was refused is kept.
package struct RefusalStorageLimit: Sendable, Hashable {
    package var count: Int
    package var bytes: Int

    package init(count: Int, bytes: Int) {
        self.count = count
        self.bytes = bytes
    }
}

/// A delivery that was refused.
package struct Refusal: Sendable, Hashable {
    package var receivedAt: Milliseconds
    /// The reason, for programs.
    package var code: String
    /// The reason, for people.
    package var message: String
    /// The address that it came from.
    package var sender: String?
    /// What was sent, cut off where it is too long.
    package var body: Data

    /// The most bytes of a body that are kept.
    package static let maximumBytes = 64 << 10

    /// About what it takes in the file, in bytes.
    package var size: Int { Self.overhead + message.utf8.count + body.count }

    /// What a refusal takes beside its message and its body.
    package static let overhead = 200

    package init(receivedAt: Milliseconds, code: String, message: String, sender: String?, body: Data) {
        self.receivedAt = receivedAt
        self.code = code
        self.message = message
        self.sender = sender
        self.body = body.prefix(Self.maximumBytes)
    }
}

/// A refusal as it is kept.
package struct KeptRefusal: Sendable, Hashable {
    package var id: Int64
    package var refusal: Refusal

    package init(id: Int64, refusal: Refusal) {
        self.id = id
        self.refusal = refusal
    }
}
