internal import AppStoreModels
internal import AppStoreServer
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import Synchronization

/// The simulator behind the routes. There is none until the port is known, because certificates name it.
final class SimulatorSlot: Sendable {
    private let simulator = Mutex<Simulator?>(nil)

    func fill(_ new: Simulator) { simulator.withLock { $0 = new } }
    func clear() { simulator.withLock { $0 = nil } }

    func get() throws(HTTPError) -> Simulator {
        guard let simulator = simulator.withLock({ $0 }) else {
            throw HTTPError(.serviceUnavailable)
        }
        return simulator
    }
}

/// Says which path leads where.
enum SimulatorRoutes {
    static func router(_ slot: SimulatorSlot) -> Router<SimulatorContext> {
        let router = Router(context: SimulatorContext.self)
        for environment in [AppStoreEnvironment.production, .sandbox] {
            let prefix = "/\(environment == .sandbox ? "sandbox" : "production")"
            for endpoint in AppStoreEndpoint.all { add(endpoint, prefix, environment, to: router, slot) }
            router.post("\(prefix)/verifyReceipt") { request, context -> Response in
                let body = try await data(request, context)
                return try await send(slot.get().core.verifyReceipt(body, in: environment), context)
            }
            // The empty route of the benchmark: what an answer costs before there is anything in it.
            router.get("\(prefix)/ping") { _, _ in Response(status: .ok) }
        }
        addRevocation(to: router, slot)
        ControlRoutes.add(to: router, slot)
        return router
    }

    private static func add(
        _ endpoint: AppStoreEndpoint, _ prefix: String, _ environment: AppStoreEnvironment,
        to router: Router<SimulatorContext>, _ slot: SimulatorSlot
    ) {
        guard let method = HTTPRequest.Method(endpoint.method) else { return }
        // Apple calls the same place in a path by different names, the router wants one: its position.
        var names: [(position: String, name: String)] = []
        let segments = endpoint.path.split(separator: "/").enumerated().map { index, segment -> String in
            guard segment.hasPrefix("{") else { return String(segment) }
            names.append(("p\(index)", String(segment.dropFirst().dropLast())))
            return "{p\(index)}"
        }
        let path = RouterPath(prefix + "/" + segments.joined(separator: "/"))
        router.on(path, method: method) { [names] request, context in
            try await answer(request, context, endpoint, names, environment, slot)
        }
    }

    private static func answer(
        _ request: Request, _ context: SimulatorContext, _ endpoint: AppStoreEndpoint,
        _ names: [(position: String, name: String)],
        _ environment: AppStoreEnvironment, _ slot: SimulatorSlot
    ) async throws -> Response {
        let simulator = try slot.get()
        var call = APIRequest(endpoint, contentType: request.headers[.contentType])
        for (position, name) in names { call.path[name] = context.parameters.get(position) }
        if let query = request.uri.query { call.query = String(query) }
        let isReading = endpoint.method == "GET"
        if !isReading { call.body = try await data(request, context) }
        let answer = simulator.core.answer(call, authorization: request.headers[.authorization], in: environment)
        if !isReading { simulator.wake() }
        return try await send(answer, context)
    }

    private static func addRevocation(to router: Router<SimulatorContext>, _ slot: SimulatorSlot) {
        router.post("/ocsp/{responder}") { request, context -> Response in
            let body = try await data(request, context)
            return try await send(slot.get().core.revocationAnswer { $0.reply(to: body, now: Date()) }, context)
        }
        router.get("/ocsp/{responder}/**") { request, context -> Response in
            // RFC 6960 appendix A.1: the request is the rest of the path, in base64, which may hold slashes.
            let path = request.uri.path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true).last ?? ""
            return try await send(slot.get().core.revocationAnswer { $0.reply(toPath: path, now: Date()) }, context)
        }
    }

    static func data(_ request: Request, _ context: SimulatorContext) async throws -> Data {
        let buffer = try await request.body.collect(upTo: context.maxUploadSize)
        return Data(buffer.readableBytesView)
    }

    /// Sends an answer, or what a fault leaves of it.
    static func send(_ answer: HTTPAnswer, _ context: SimulatorContext) async throws -> Response {
        if answer.delay > 0 { try await Task.sleep(for: .seconds(answer.delay)) }
        if answer.damage == .dropped {
            try await context.channel.close()
            throw HTTPError(.internalServerError)
        }
        var headers = HTTPFields()
        if let contentType = answer.contentType { headers[.contentType] = contentType }
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        let status = HTTPResponse.Status(code: answer.status)
        guard answer.damage == .truncated, answer.body.count > 1 else {
            return Response(
                status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
        }
        let half = ByteBuffer(bytes: answer.body.prefix(answer.body.count / 2))
        let body = ResponseBody(contentLength: answer.body.count) { writer in
            try await writer.write(half)
            try await context.channel.close()
        }
        return Response(status: status, headers: headers, body: body)
    }
}
