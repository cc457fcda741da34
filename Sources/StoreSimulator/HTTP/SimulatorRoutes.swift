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
        // Endpoints that share a path up to a parameter have different names for it. The router wants one.
        var names: [String] = []
        let pieces = endpoint.path.split(separator: "/").map { piece -> String in
            guard piece.hasPrefix("{") else { return String(piece) }
            names.append(String(piece.dropFirst().dropLast()))
            return "{parameter\(names.count)}"
        }
        let template = RouterPath(prefix + "/" + pieces.joined(separator: "/"))
        router.on(template, method: method) { [names] request, context -> Response in
            try await answer(endpoint, names, request, context, environment, slot)
        }
    }

    // A function of its own: the compiler (6.3.1) does not get through it as a closure.
    private static func answer(
        _ endpoint: AppStoreEndpoint, _ names: [String], _ request: Request, _ context: SimulatorContext,
        _ environment: AppStoreEnvironment, _ slot: SimulatorSlot
    ) async throws -> Response {
        let simulator = try slot.get()
        var path: [String: String] = [:]
        for (index, name) in names.enumerated() { path[name] = context.parameters.get("parameter\(index + 1)") }
        let body = request.method == .get ? Data() : try await data(request, context)
        let call = APIRequest(
            endpoint, path: path, query: request.uri.query.map { String($0) } ?? "",
            contentType: request.headers[.contentType], body: body)
        let answer = simulator.core.answer(call, authorization: request.headers[.authorization], in: environment)
        if request.method != .get { simulator.wake() }
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
