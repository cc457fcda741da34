internal import Ledger
internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// Posts to endpoints, at the addresses that were checked and no others.
final class WebhookSender: Sendable {
    /// What a receiver answered.
    struct Answer: Sendable {
        var status: Int
        /// `Retry-After` in seconds.
        var retryAfter: Double?
        /// How the answer's body begins.
        var body = Data()
    }

    /// Why there is no answer; a word.
    struct NoAnswer: Error { var reason: String }

    /// A client connects to one address only, whatever the name of the host leads to at that moment.
    private struct Place: Hashable {
        var host: String
        var address: String
    }

    private struct Entry {
        var client: HTTPClient
        var users = 0
        var lastUse: ContinuousClock.Instant = .now
    }

    private struct State {
        var entries: [Place: Entry] = [:]
        var isClosed = false
    }

    /// The headers of every message.
    static let headers = [
        (name: "content-type", value: "application/json"), (name: "user-agent", value: "Counterfoil"),
    ]
    private static let timeout = TimeAmount.seconds(15)
    private static let maximumClients = 64
    /// What is read of an answer, so that the connection can be used again.
    private static let maximumAnswer = 64 << 10
    private let state = Mutex(State())

    /// Posts a message.
    ///
    /// - Parameter turn: Which of the addresses it is, counted round; they take turns when one cannot be reached.
    func post(
        _ body: Data, headers: [(name: String, value: String)], to target: WebhookTarget, allowsPrivate: Bool, turn: Int
    ) async throws -> Answer {
        let addresses: [String]
        do { addresses = try await target.addresses(allowsPrivate: allowsPrivate) } catch {
            throw NoAnswer(reason: error.code.rawValue)
        }
        let choice = addresses.isEmpty ? 0 : max(0, turn) % addresses.count
        guard let address = addresses.dropFirst(choice).first else {
            throw NoAnswer(reason: WebhookTarget.Refusal.Code.unresolved.rawValue)
        }
        let place = Place(host: target.host, address: address)
        guard let client = await lease(place) else { throw NoAnswer(reason: "shutting_down") }
        defer { release(place) }
        return try await Self.post(body, headers, to: target.url, client)
    }

    private static func post(
        _ body: Data, _ headers: [(name: String, value: String)], to url: String, _ client: HTTPClient
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        for header in headers { request.headers.add(name: header.name, value: header.value) }
        request.body = .bytes(ByteBuffer(bytes: body))
        do {
            let start = ContinuousClock.now
            let response = try await client.execute(request, timeout: timeout)
            let beginning = await drain(response, since: start)
            return Answer(
                status: Int(response.status.code),
                retryAfter: response.headers.first(name: "retry-after").flatMap(RetryAfter.seconds), body: beginning)
        } catch {
            throw NoAnswer(reason: reason(error))
        }
    }

    /// Reads a little of the answer, so that the connection can be used again. Returns how it begins: that is shown to
    /// people, and nothing depends on it.
    private static func drain(
        _ response: HTTPClientResponse, since start: ContinuousClock.Instant
    ) async -> Data {
        var (beginning, count) = (Data(), 0)
        do {
            for try await chunk in response.body {
                beginning.append(
                    contentsOf: chunk.readableBytesView.prefix(DeliveryAttempt.maximumAnswer - beginning.count))
                count += chunk.readableBytes
                if count > maximumAnswer || start.duration(to: .now) > .seconds(15) { break }
            }
        } catch { return beginning }
        return beginning
    }

    /// A word for what went wrong. It is shown to people, and must not tell what is in a network.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError where error == .deadlineExceeded || error == .readTimeout: "timeout"
        case let error as HTTPClientError where error == .connectTimeout: "connect_timeout"
        case let error as HTTPClientError where error == .remoteConnectionClosed: "connection_closed"
        case is HTTPClientError: "http_error"
        case is CancellationError: "cancelled"
        default: "connection_failed"
        }
    }

    // MARK: - Clients

    private func lease(_ place: Place) async -> HTTPClient? {
        let (client, unused) = state.withLock { state -> (HTTPClient?, [HTTPClient]) in
            guard !state.isClosed else { return (nil, []) }
            var entry = state.entries[place] ?? Entry(client: Self.client(place))
            entry.users += 1
            entry.lastUse = .now
            state.entries[place] = entry
            return (entry.client, Self.evict(&state))
        }
        await Self.shutDown(unused)
        return client
    }

    private func release(_ place: Place) { state.withLock { $0.entries[place]?.users -= 1 } }

    /// Takes out what has not been used for longest, if there are too many.
    private static func evict(_ state: inout State) -> [HTTPClient] {
        guard state.entries.count > maximumClients else { return [] }
        let oldest = state.entries.filter { $0.value.users == 0 }.min { $0.value.lastUse < $1.value.lastUse }
        return oldest.flatMap { state.entries.removeValue(forKey: $0.key) }.map { [$0.client] } ?? []
    }

    private static func client(_ place: Place) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout = .init(connect: .seconds(10), read: timeout)
        configuration.decompression = .disabled
        configuration.connectionPool.retryConnectionEstablishment = false
        // The name stays what certificates are checked against, and what the header Host says.
        configuration.dnsOverride = [place.host: place.address]
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    private static func shutDown(_ clients: [HTTPClient]) async {
        for client in clients {
            // It fails only when it is shut down already.
            do { try await client.shutdown() } catch { continue }
        }
    }

    /// Ends all connections. Nothing can be sent afterwards.
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
    /// Seconds, or an instant such as `Wed, 21 Oct 2015 07:28:00 GMT`; nil for anything else.
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
