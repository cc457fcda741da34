internal import AsyncHTTPClient
internal import Foundation
internal import Ledger
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// Sends HTTP POST requests to webhook endpoints, and connects only to addresses that were checked.
final class WebhookSender: Sendable {
    /// The response of a receiver.
    struct Response: Sendable {
        var status: Int
        /// `Retry-After` in seconds.
        var retryAfter: Double?
        /// The beginning of the response body, up to ``DeliveryAttempt/maximumResponseBytes`` bytes.
        var body = Data()
    }

    /// The request got no response. The reason is an identifier such as `timeout`.
    struct NoResponse: Error { var reason: String }

    /// A host, one of its checked addresses, and a port. Each has its own client, which does not resolve the host again.
    private struct Destination: Hashable {
        var host, address: String
        var port: Int
    }

    private struct Entry {
        var client: HTTPClient
        var users = 0
        /// The number of connections that may stay open between requests.
        var kept = 0
        var lastUse: ContinuousClock.Instant = .now
    }

    private struct Lease {
        var client: HTTPClient
        /// Whether the connection may stay open after the request.
        var keepsConnection: Bool
    }

    private struct State {
        var entries: [Destination: Entry] = [:]
        var isClosed = false

        var kept: Int { entries.values.reduce(0) { $0 + $1.kept } }
    }

    /// The headers of every request.
    static let headers = [
        (name: "content-type", value: "application/json"), (name: "user-agent", value: "Counterfoil"),
    ]
    /// The maximum number of connections, to all destinations, that stay open between requests.
    static let maximumKept = 48
    /// The connections to one address: as many as eight endpoints use. With fewer, endpoints that do not respond would
    /// take them from others at the same host.
    private static let maximumConnections = 8 * WebhookDispatcher.maximumConcurrency
    /// The number of response bytes to read at most, so that the connection can be used again.
    private static let maximumResponseBytes = 64 << 10
    /// The time until the response of a receiver begins.
    private let timeout: TimeAmount
    private let state = Mutex(State())

    init(timeout: Duration) { self.timeout = TimeAmount(timeout) }

    /// Sends a request.
    ///
    /// - Parameter turn: The index of the address to use, modulo the number of addresses. Each retry uses the next
    ///   address.
    func post(
        _ body: Data, headers: [(name: String, value: String)], to target: WebhookTarget, allowsPrivate: Bool, turn: Int
    ) async throws -> Response {
        let addresses: [String]
        do { addresses = try await target.addresses(allowsPrivate: allowsPrivate) } catch {
            throw NoResponse(reason: error.code.rawValue)
        }
        let choice = addresses.isEmpty ? 0 : max(0, turn) % addresses.count
        guard let address = addresses.dropFirst(choice).first else {
            throw NoResponse(reason: WebhookTarget.Refusal.Code.unresolved.rawValue)
        }
        let destination = Destination(host: target.host, address: address, port: target.port)
        guard let lease = await lease(destination) else { throw NoResponse(reason: "shutting_down") }
        defer { release(destination) }
        return try await post(body, headers, to: target.url, lease)
    }

    private func post(
        _ body: Data, _ headers: [(name: String, value: String)], to url: String, _ lease: Lease
    ) async throws -> Response {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        for header in headers { request.headers.add(name: header.name, value: header.value) }
        if !lease.keepsConnection { request.headers.add(name: "connection", value: "close") }
        request.body = .bytes(ByteBuffer(bytes: body))
        do {
            let start = ContinuousClock.now
            let response = try await lease.client.execute(request, timeout: timeout)
            let beginning = await Self.readBeginning(response, since: start)
            return Response(
                status: Int(response.status.code),
                retryAfter: response.headers.first(name: "retry-after").flatMap(RetryAfter.seconds), body: beginning)
        } catch {
            throw NoResponse(reason: Self.reason(error))
        }
    }

    /// Reads the response body, so that the connection can be used again, for up to 15 seconds and about
    /// `maximumResponseBytes` bytes. Returns its beginning, which is only shown to users.
    private static func readBeginning(
        _ response: HTTPClientResponse, since start: ContinuousClock.Instant
    ) async -> Data {
        var (beginning, count) = (Data(), 0)
        do {
            for try await chunk in response.body {
                beginning.append(
                    contentsOf: chunk.readableBytesView.prefix(DeliveryAttempt.maximumResponseBytes - beginning.count))
                count += chunk.readableBytes
                if count > maximumResponseBytes || start.duration(to: .now) > .seconds(15) { break }
            }
        } catch { return beginning }
        return beginning
    }

    /// Returns an identifier of the error. Users see it, so it must not reveal details of the network.
    static func reason(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError where error == .deadlineExceeded || error == .readTimeout: "timeout"
        // The second error: none was opened or became free while others to the receiver were in use.
        case let error as HTTPClientError where error == .connectTimeout || error == .getConnectionFromPoolTimeout:
            "connect_timeout"
        case let error as HTTPClientError where error == .remoteConnectionClosed: "connection_closed"
        case is HTTPClientError: "http_error"
        case is CancellationError: "cancelled"
        default: "connection_failed"
        }
    }

    // MARK: - Clients

    private func lease(_ destination: Destination) async -> Lease? {
        let (lease, unused) = state.withLock { state -> (Lease?, [HTTPClient]) in
            guard !state.isClosed else { return (nil, []) }
            var entry = state.entries[destination] ?? Entry(client: makeClient(for: destination))
            entry.users += 1
            entry.lastUse = .now
            state.entries[destination] = entry
            // A client opens a connection only while all its others are in use.
            guard entry.users > entry.kept else {
                return (Lease(client: entry.client, keepsConnection: true), [])
            }
            let unused = Self.evict(&state)
            let keepsConnection = state.kept < Self.maximumKept
            if keepsConnection { state.entries[destination]?.kept += 1 }
            return (Lease(client: entry.client, keepsConnection: keepsConnection), unused)
        }
        await Self.shutDown(unused)
        return lease
    }

    private func release(_ destination: Destination) { state.withLock { $0.entries[destination]?.users -= 1 } }

    /// Removes and returns unused clients, those with the oldest use first, until another connection can be kept.
    private static func evict(_ state: inout State) -> [HTTPClient] {
        var evicted: [HTTPClient] = []
        while state.kept >= maximumKept,
            let oldest = state.entries.filter({ $0.value.users == 0 }).min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            state.entries[oldest.key] = nil
            evicted.append(oldest.value.client)
        }
        return evicted
    }

    private func makeClient(for destination: Destination) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        // A connection must not be opened for longer than its request waits: it would be one more than are counted.
        configuration.timeout = .init(connect: min(TimeAmount.seconds(10), timeout), read: timeout)
        // A connection with HTTP/2 would stay open after `connection: close`.
        configuration.httpVersion = .http1Only
        configuration.decompression = .disabled
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.maximumConnections
        // Certificates are still checked against the host name, and the Host header still contains it.
        configuration.dnsOverride = [destination.host: destination.address]
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    private static func shutDown(_ clients: [HTTPClient]) async {
        for client in clients {
            // Shutdown fails only if the client is already shut down.
            do { try await client.shutdown() } catch { continue }
        }
    }

    /// Closes all connections. Later requests fail.
    func close() async {
        let clients = state.withLock { state in
            state.isClosed = true
            defer { state.entries = [:] }
            return state.entries.values.map(\.client)
        }
        await Self.shutDown(clients)
    }
}

/// The header `Retry-After` (RFC 9110 §10.2.3).
enum RetryAfter {
    /// Returns the delay for a number of seconds or a date such as `Wed, 21 Oct 2015 07:28:00 GMT`; nil for other
    /// texts.
    static func seconds(_ text: String) -> Double? { seconds(text, now: Date()) }

    static func seconds(_ text: String, now: Date) -> Double? {
        let text = text.trimmingCharacters(in: .whitespaces)
        if let seconds = UInt32(text) { return Double(seconds) }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        guard text.utf8.count == 29, let date = formatter.date(from: text) else { return nil }
        return max(0, date.timeIntervalSince(now))
    }
}
