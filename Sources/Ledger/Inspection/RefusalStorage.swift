internal import Basics
package import Foundation

/// Stores refused deliveries, up to a limit.
package protocol RefusalStorage: Sendable {
    /// Stores refusals. Repeating the call stores them again.
    func commit(_ refusals: [Refusal]) async throws

    /// Deletes the refusals that exceed a limit, in batches of one transaction each.
    ///
    /// The limit is filled with the newest refusal of every client (``Refusal/client(ofSender:)``), then with the
    /// second newest, and so on. So a client with many refusals loses its oldest ones, and other clients lose none. Bytes
    /// (``Refusal/size``) are filled in the order of each client's cumulative size.
    func dropRefusals(beyond limit: RefusalStorageLimit) async throws

    /// Returns refusals, the newest first.
    func refusals(before id: Int64, limit: Int) async throws -> [StoredRefusal]

    /// Returns the number of refusals for each reason in a time range.
    ///
    /// - Parameter depth: How many of the latest stored refusals are examined, whenever they arrived.
    func refusalCounts(from start: Milliseconds, to end: Milliseconds, amongLast depth: Int64) async throws
        -> [String: Int64]
}

/// The limit of stored refusals.
package struct RefusalStorageLimit: Sendable, Hashable {
    package var count: Int
    package var bytes: Int

    package init(count: Int, bytes: Int) {
        self.count = count
        self.bytes = bytes
    }
}

/// A refused delivery to the notification endpoint.
package struct Refusal: Sendable, Hashable {
    package var receivedAt: Milliseconds
    /// The machine-readable reason.
    package var code: String
    /// The reason, for people.
    package var message: String
    /// The address of the sender.
    package var sender: String?
    /// The body, truncated.
    package var body: Data

    /// The maximum size of a stored body.
    package static let maximumBytes = 64 << 10

    /// The size in bytes that ``RefusalStorageLimit`` counts, whatever the engine needs.
    package var size: Int { Self.overhead + message.utf8.count + body.count }

    /// The size of a refusal without message and body.
    package static let overhead = 200

    package init(receivedAt: Milliseconds, code: String, message: String, sender: String?, body: Data) {
        self.receivedAt = receivedAt
        self.code = code
        self.message = message
        self.sender = sender
        self.body = body.prefix(Self.maximumBytes)
    }
}

extension Refusal {
    /// Returns the client of a sender: its network, which may have many addresses, or else the sender itself.
    package static func client(ofSender sender: String?) -> String {
        guard let sender else { return "" }
        return Network.ofClient(at: sender)?.key ?? sender
    }
}

/// A stored refusal.
package struct StoredRefusal: Sendable, Hashable {
    package var id: Int64
    package var refusal: Refusal

    package init(id: Int64, refusal: Refusal) {
        self.id = id
        self.refusal = refusal
    }
}
