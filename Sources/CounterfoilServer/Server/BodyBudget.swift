internal import Basics
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// Limits the bytes of all request bodies in memory, so that clients with many connections cannot exhaust the memory.
/// One client may use a quarter of the limit, and always one request of the maximum size.
final class BodyBudget: Sendable {
    private struct State {
        var bytes = 0
        var byClient: [Network?: Int] = [:]
    }

    private let maximum: Int
    private let maximumPerClient: Int
    private let state = Mutex(State())

    init(_ limits: ServerConfiguration.Limits) {
        maximum = max(limits.bufferedBytes, limits.requestBytes)
        maximumPerClient = max(maximum / 4, limits.requestBytes)
    }

    /// The number of reserved bytes.
    var bytes: Int { state.withLock(\.bytes) }

    /// Returns the reservation for the body of one request of a client.
    func reservation(for client: Network?) -> BodyReservation { BodyReservation(self, client) }

    /// Reserves `count` bytes. Returns false, and reserves nothing, if that would exceed a limit.
    fileprivate func reserve(_ count: Int, for client: Network?) -> Bool {
        state.withLock { state in
            let held = state.byClient[client] ?? 0
            guard count <= maximum - state.bytes, count <= maximumPerClient - held else { return false }
            state.bytes += count
            state.byClient[client] = held + count
            return true
        }
    }

    fileprivate func release(_ count: Int, of client: Network?) {
        guard count > 0 else { return }
        state.withLock { state in
            state.bytes -= count
            let held = (state.byClient[client] ?? 0) - count
            state.byClient[client] = held > 0 ? held : nil
        }
    }
}

/// The bytes that one request has reserved in a ``BodyBudget``.
final class BodyReservation: Sendable {
    private let budget: BodyBudget
    private let client: Network?
    private let count = Mutex(0)

    fileprivate init(_ budget: BodyBudget, _ client: Network?) { (self.budget, self.client) = (budget, client) }

    /// Reserves bytes for a part of the body.
    ///
    /// - Throws: 413 when the body is larger than `limit`, 503 when the budget is exhausted.
    func reserve(_ bytes: Int, limit: Int) throws(APIFailure) {
        guard bytes <= limit - count.withLock(\.self) else { throw .tooLarge(limit) }
        guard budget.reserve(bytes, for: client) else {
            throw APIFailure(
                .serviceUnavailable, "overloaded", "Too many request bodies are in memory; try again.",
                isRetryable: true, backoff: 1000)
        }
        count.withLock { $0 += bytes }
    }

    /// Releases all bytes of the request.
    func release() {
        budget.release(
            count.withLock { count in
                defer { count = 0 }
                return count
            }, of: client)
    }
}

/// Refuses a request whose `Content-Length` is too large before its body is read, and counts the bodies of other
/// requests while they arrive.
struct BodyLimit: RouterMiddleware {
    let bytes: Int
    let budget: BodyBudget
    let listen: ServerConfiguration.Listen

    @concurrent func handle(_ request: Request, context: ServerContext, next: NextHandler) async throws -> Response {
        try request.requireLength(upTo: bytes)
        guard request.hasBody else { return try await next(request, context) }
        let address = ClientAddress(of: request, from: context.peer, listen).address
        let reservation = budget.reservation(for: address.flatMap { Network.ofClient(at: $0) })
        defer { reservation.release() }
        let limit = bytes
        var request = request
        request.body = RequestBody(
            asyncSequence: request.body.map { buffer in
                try reservation.reserve(buffer.readableBytes, limit: limit)
                return buffer
            })
        return try await next(request, context)
    }
}

extension Request {
    /// Reads the body.
    ///
    /// - Throws: 413 when the body or its `Content-Length` exceeds `limit`. The latter is checked before reading.
    ///   `ChannelError` when the connection ends before the body.
    func bytes(upTo limit: Int) async throws -> [UInt8] {
        try requireLength(upTo: limit)
        var bytes: [UInt8] = []
        do {
            for try await part in body {
                guard part.readableBytes <= limit - bytes.count else { throw APIFailure.tooLarge(limit) }
                // Reserve the declared length at once, up to a small maximum, because the declaration may be false.
                if bytes.isEmpty {
                    bytes.reserveCapacity(min(max(declaredLength ?? 0, 0), Self.maximumReservedCapacity))
                }
                bytes.append(contentsOf: part.readableBytesView)
            }
        } catch let error where error is APIFailure || error is HTTPParserError || error is CancellationError {
            throw error
        } catch {
            // With TLS the error of a lost connection has other types.
            throw ChannelError.inputClosed
        }
        return bytes
    }

    private static let maximumReservedCapacity = 64 << 10

    private var declaredLength: Int? { headers[.contentLength].flatMap { Int($0) } }

    /// Whether the request may have a body (RFC 9112, section 6.3).
    fileprivate var hasBody: Bool {
        headers[.transferEncoding] != nil || headers[values: .contentLength].contains { $0 != "0" }
    }

    fileprivate func requireLength(upTo limit: Int) throws(APIFailure) {
        // Check every Content-Length. A value that is not a number is refused as too large.
        for length in headers[values: .contentLength] {
            guard let length = Int(length), length <= limit else { throw .tooLarge(limit) }
        }
    }
}

extension APIFailure {
    static let tooLarge = APIFailure(
        .contentTooLarge, "too_large", "The request is larger than the limit of this server.")

    /// The failure of a request that is larger than `limit` bytes.
    static func tooLarge(_ limit: Int) -> APIFailure {
        APIFailure(.contentTooLarge, "too_large", "The request is larger than its limit of \(limit) bytes.")
    }
}
