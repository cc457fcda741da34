import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import Synchronization
import TestSupport

/// The notification URL of a simulated App Store. Forwards every notification to one server and some to another.
final class NotificationRelay: Sendable {
    /// What the other server gets.
    enum Reception: Sendable {
        /// Every notification.
        case everything
        /// About half of the notifications. The others are acknowledged and lost.
        case half
        /// None. The App Store sends them again later.
        case nothing
    }

    private struct State {
        var complete = ""
        var other = ""
        var reception = Reception.everything
        var lost: Set<String> = []
    }

    private struct Body: Decodable { var signedPayload: String }
    private struct Payload: Decodable { var notificationUUID: String }

    private let state = Mutex(State())
    private let port = Mutex(0)

    /// The URL for the App Store.
    var url: String { "http://127.0.0.1:\(port.withLock(\.self))/apple/notifications" }

    /// The UUIDs of the notifications that the other server missed at least once.
    var lost: Set<String> { state.withLock { $0.lost } }

    /// Calls `body` with a relay that runs until `body` returns.
    static func run(_ body: (NotificationRelay) async throws -> Void) async throws {
        let relay = NotificationRelay()
        let router = Router()
        router.post("apple/notifications") { request, _ in try await relay.respond(request) }
        let server = try await TestServer(router)
        relay.port.withLock { $0 = server.port }
        try await server.whileRunning { try await body(relay) }
    }

    /// Sets the base URL of the server that gets every notification.
    func connect(complete url: String) { state.withLock { $0.complete = url } }

    /// Sets the base URL of the other server, and what it gets from now on.
    func connect(other url: String, _ reception: Reception) {
        state.withLock { state in (state.other, state.reception) = (url, reception) }
    }

    private func respond(_ request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 20)
        let text = try JSONDecoder().decode(Body.self, from: Data(body.readableBytesView)).signedPayload
        let uuid = try JSONDecoder().decode(Payload.self, from: text.jwsPart(1)).notificationUUID
        let state = state.withLock(\.self)
        let status = try await Self.send(body, to: state.complete)
        switch state.reception {
        case _ where status != .ok: return Response(status: status)
        case .everything: return Response(status: try await Self.send(body, to: state.other))
        // The UUIDs depend only on the seed, unlike the order of arrival.
        case .half where "01234567".contains(uuid.suffix(1)):
            return Response(status: try await Self.send(body, to: state.other))
        case .half:
            self.state.withLock { _ = $0.lost.insert(uuid) }
            return Response(status: .ok)
        case .nothing:
            self.state.withLock { _ = $0.lost.insert(uuid) }
            return Response(status: .serviceUnavailable)
        }
    }

    private static func send(_ body: ByteBuffer, to server: String) async throws -> HTTPResponse.Status {
        var request = HTTPClientRequest(url: server + "/apple/notifications")
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(body)
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
        _ = try await response.body.collect(upTo: 1 << 20)
        return .init(code: Int(response.status.code))
    }
}
