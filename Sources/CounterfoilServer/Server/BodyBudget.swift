internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import Synchronization

/// Counts the bytes of all request bodies that are held in memory, so that strangers with many connections cannot use it
/// up. One client may hold a quarter of what all may, and always one request of the largest size.
final class BodyBudget: Sendable {
    private struct State {
        var bytes = 0
        var byClient: [Network?: Int] = [:]
    }

    private let maximum: Int
    private let share: Int
    private let state = Mutex(State())

    init(_ limits: ServerConfiguration.Limits) {
        maximum = max(limits.bufferedBytes, limits.requestBytes)
        share = max(maximum / 4, limits.requestBytes)
    }

    /// How many bytes are held.
    var bytes: Int { state.withLock(\.bytes) }

    /// Counts what belongs to one request of a client.
    func lease(for client: Network?) -> BodyLease { BodyLease(self, client) }

    /// Whether there was room for so many bytes more.
    fileprivate func take(_ count: Int, for client: Network?) -> Bool {
        state.withLock { state in
            let held = state.byClient[client] ?? 0
            guard count <= maximum - state.bytes, count <= share - held else { return false }
            state.bytes += count
            state.byClient[client] = held + count
            return true
        }
    }

    fileprivate func giveBack(_ count: Int, of client: Network?) {
        guard count > 0 else { return }
        state.withLock { state in
            state.bytes -= count
            let held = (state.byClient[client] ?? 0) - count
            state.byClient[client] = held > 0 ? held : nil
        }
    }
}

/// What one request holds of a ``BodyBudget``.
final class BodyLease: Sendable {
    private let budget: BodyBudget
    private let client: Network?
    private let count = Mutex(0)

    fileprivate init(_ budget: BodyBudget, _ client: Network?) { (self.budget, self.client) = (budget, client) }

    /// Takes room for a part of the body.
    ///
    /// - Throws: 413 when the body is larger than `limit`, 503 when all requests together hold too much.
    func take(_ bytes: Int, limit: Int) throws(APIFailure) {
        guard bytes <= limit - count.withLock(\.self) else { throw .tooLarge }
        guard budget.take(bytes, for: client) else {
            throw APIFailure(
                .serviceUnavailable, "overloaded", "Too many request bodies are in memory; try again.",
                isRetryable: true, backoff: 1000)
        }
        count.withLock { $0 += bytes }
    }

    /// Gives everything back.
    func end() {
        budget.giveBack(
            count.withLock { count in
                defer { count = 0 }
                return count
            }, of: client)
    }
}

/// Refuses requests that say themselves that they are too large, before any of the body is read, and counts the bodies of
/// the others as they come.
struct BodyLimit: RouterMiddleware {
    let bytes: Int
    let budget: BodyBudget
    let listen: ServerConfiguration.Listen

    @concurrent func handle(_ request: Request, context: ServerContext, next: NextHandler) async throws -> Response {
        try request.requireLength(upTo: bytes)
        guard request.hasBody else { return try await next(request, context) }
        let address = ClientAddress(of: request, from: context.peer, listen).address
        let lease = budget.lease(for: address.flatMap { Network.ofClient(at: $0) })
        defer { lease.end() }
        let limit = bytes
        var request = request
        request.body = RequestBody(
            asyncSequence: request.body.map { buffer in
                try lease.take(buffer.readableBytes, limit: limit)
                return buffer
            })
        return try await next(request, context)
    }
}

extension Request {
    /// The body, if it is small enough. What says itself that it is too large is refused before it is read.
    func bytes(upTo limit: Int) async throws -> [UInt8] {
        try requireLength(upTo: limit)
        var bytes: [UInt8] = []
        for try await part in body {
            guard part.readableBytes <= limit - bytes.count else { throw APIFailure.tooLarge }
            // What it says of its length is believed as far as that is cheap.
            if bytes.isEmpty { bytes.reserveCapacity(min(max(statedLength ?? 0, 0), Self.believedLength)) }
            bytes.append(contentsOf: part.readableBytesView)
        }
        return bytes
    }

    private static let believedLength = 64 << 10

    private var statedLength: Int? { headers[.contentLength].flatMap { Int($0) } }

    /// Whether the request may have a body (RFC 9112, section 6.3).
    fileprivate var hasBody: Bool {
        headers[.transferEncoding] != nil || headers[values: .contentLength].contains { $0 != "0" }
    }

    fileprivate func requireLength(upTo limit: Int) throws(APIFailure) {
        // Each of them: what cannot be read as a number is none that is small enough.
        for length in headers[values: .contentLength] {
            guard let length = Int(length), length <= limit else { throw .tooLarge }
        }
    }
}

extension APIFailure {
    static let tooLarge = APIFailure(
        .contentTooLarge, "too_large", "The request is larger than this server takes.")
}
