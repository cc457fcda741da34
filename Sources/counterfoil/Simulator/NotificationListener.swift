import AppStoreServer
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import StoreSimulator
import Synchronization
internal import WebConsole

/// A server on loopback that receives notifications, prints a line for each, and forwards them.
final class NotificationListener: Sendable {
    private let reader: NotificationReader
    private let forwardTo: String?
    private let maximum: Int?
    private let asJSON: Bool
    private let indent: String
    private let end: @Sendable (Output.Failure?) -> Void
    private let transport = AsyncHTTPClientTransport()
    private let received = Mutex(0)

    /// - Parameter end: Called after the last notification, or with the failure if a line cannot be printed. By default
    ///   a failure ends the process.
    init(
        reader: NotificationReader, forwardTo: String? = nil, maximum: Int? = nil, asJSON: Bool = false,
        indent: String = "",
        end: @escaping @Sendable (Output.Failure?) -> Void = { if let failure = $0 { Output.end(after: failure) } }
    ) {
        self.reader = reader
        self.forwardTo = forwardTo
        self.maximum = maximum
        self.asJSON = asJSON
        self.indent = indent
        self.end = end
    }

    /// Starts the server, on a free port if `port` is 0.
    func start(port: Int) async throws -> LoopbackService {
        let router = Router(context: BasicRequestContext.self)
        // Browsers reach this port, too. Their pages must not send notifications to the server behind it.
        let check = OriginCheck(allowsNonBrowsers: true, isOwnHost: OriginCheck.isLoopback)
        router.add(
            middleware: OriginGuard<BasicRequestContext>(check) { _, _, _ in Response(status: .forbidden) })
        for environment in EnvironmentName.allCases {
            router.post("/\(environment.rawValue)") { request, _ in try await self.answer(request, environment) }
        }
        do {
            return try await LoopbackService(router.buildResponder(), port: port, label: "counterfoil.listen")
        } catch {
            throw Refusal(code: "port_taken", message: "cannot listen on 127.0.0.1:\(port); --port 0 takes a free port")
        }
    }

    private func answer(_ request: Request, _ environment: EnvironmentName) async throws -> Response {
        // A request without a complete body is none of the notifications to count.
        let body = Data(try await request.body.collect(upTo: 1 << 20).readableBytesView)
        let number = received.withLock { number in
            number += 1
            return number
        }
        // Refuse notifications after the last one, so that the simulator sends them again later.
        guard number <= maximum ?? .max else { return Response(status: .serviceUnavailable) }
        var line = await reader.read(body, in: environment)
        let response = await forward(body, contentType: request.headers[.contentType], &line)
        let text = asJSON ? try JSONLine.text(line) : line.text(Style.current())
        // The notification was forwarded already, so respond even if the line cannot be printed.
        do { try Output.send(indent + text) } catch { end(error) }
        if number == maximum { end(nil) }
        return response
    }

    private func forward(_ body: Data, contentType: String?, _ line: inout NotificationLine) async -> Response {
        guard let forwardTo else { return Response(status: .ok) }
        let request = HTTPTransportRequest(
            method: "POST", url: forwardTo, headers: [("Content-Type", contentType ?? "application/json")], body: body)
        do {
            let answer = try await transport.send(request)
            line.forwardedStatus = answer.status
            return Response(
                status: .init(code: answer.status), headers: [:],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
        } catch {
            line.forwardingFailure = "\(error)"
            return Response(status: .badGateway)
        }
    }
}
