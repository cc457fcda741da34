internal import AppStoreModels
internal import AppStoreServer
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import Synchronization

/// The simulator that the routes use. It is created after the port is known, because certificates contain the port.
final class SimulatorHolder: Sendable {
    private let simulator = Mutex<Simulator?>(nil)
    /// The developer's server, if it runs in this process.
    let receiver: NotificationReceiver?

    init(receiver: NotificationReceiver?) { self.receiver = receiver }

    func fill(_ new: Simulator) { simulator.withLock { $0 = new } }

    func get() throws(HTTPError) -> Simulator {
        guard let simulator = simulator.withLock({ $0 }) else {
            throw HTTPError(.serviceUnavailable)
        }
        return simulator
    }
}

/// The routes of the simulator.
enum SimulatorRoutes {
    static func router(_ holder: SimulatorHolder) -> Router<SimulatorContext> {
        let router = Router(context: SimulatorContext.self, options: .autoGenerateHeadEndpoints)
        let panel = PanelState()
        router.add(middleware: ControlMiddleware())
        router.add(middleware: LoopbackGuard())
        router.add(middleware: MissingPage(holder: holder, state: panel))
        for environment in AppStoreEnvironment.simulated {
            let prefix = "/\(environment.pathName)"
            for endpoint in AppStoreEndpoint.all { add(endpoint, prefix, environment, to: router, holder) }
            // The other methods get status 21000 in the body, and HTTP status 200.
            for method in [HTTPRequest.Method.post, .get, .put, .patch, .delete] {
                router.on("\(prefix)/verifyReceipt", method: method) { request, context -> Response in
                    let body = try await data(request, context)
                    let core = try holder.get().core
                    return try await send(core.verifyReceipt(method: method.rawValue, body, in: environment), context)
                }
            }
            // An empty route for benchmarks: it measures the cost of a response without content.
            router.get("\(prefix)/ping") { _, _ in Response(status: .ok) }
        }
        addRevocation(to: router, holder)
        ControlRoutes.add(to: router, holder)
        if let receiver = holder.receiver { add(receiver, to: router) }
        PanelRoutes.add(to: router, holder, panel)
        return router
    }

    private static func add(
        _ endpoint: AppStoreEndpoint, _ prefix: String, _ environment: AppStoreEnvironment,
        to router: Router<SimulatorContext>, _ holder: SimulatorHolder
    ) {
        guard let method = HTTPRequest.Method(endpoint.method) else { return }
        // The router requires the same parameter name at the same position of all endpoints. These are the names of
        // the endpoint by those of the router.
        var names: [String: String] = [:]
        let parts = endpoint.path.split(separator: "/").enumerated().map { index, part in
            guard part.hasPrefix("{") else { return String(part) }
            names["p\(index)"] = String(part.dropFirst().dropLast())
            return "{p\(index)}"
        }
        let path = RouterPath("\(prefix)/\(parts.joined(separator: "/"))")
        router.on(path, method: method) { [names] request, context -> Response in
            let simulator = try holder.get()
            var path: [String: String] = [:]
            for (name, meaning) in names {
                path[meaning] = context.parameters.get(name).flatMap { String(percentEncoded: $0.utf8) }
            }
            let isRead = endpoint.method == "GET"
            let limit = endpoint.contentType == "image/png" ? maximumImageSize : 256 << 10
            let body = isRead ? Data() : try await data(request, context, upTo: limit)
            let call = APIRequest(endpoint, path: path, query: request.uri.query.map { String($0) } ?? "", body: body)
            let response = simulator.core.respond(
                to: call, authorization: request.headers[.authorization], in: environment)
            if !isRead { simulator.wake() }
            return try await send(response, context)
        }
    }

    // 3840 × 2160 pixels of three bytes are 25 MB, and some images hardly compress.
    private static let maximumImageSize = 32 << 20

    private static func addRevocation(to router: Router<SimulatorContext>, _ holder: SimulatorHolder) {
        router.post("/ocsp/{responder}") { request, context -> Response in
            let body = try await data(request, context)
            return try await send(holder.get().core.revocationResponse { $0.reply(to: body, times: $1) }, context)
        }
        router.get("/ocsp/{responder}") { request, context -> Response in
            let name = context.parameters.get("responder") ?? ""
            return try await send(published(name, holder.get().core), context)
        }
        router.get("/ocsp/{responder}/**") { request, context -> Response in
            // RFC 6960 appendix A.1: the request is the rest of the path, in base64, which may contain slashes.
            let path = request.uri.path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true).last ?? ""
            return try await send(holder.get().core.revocationResponse { $0.reply(toPath: path, times: $1) }, context)
        }
    }

    /// Returns the revocation list or a certificate whose URL the certificates contain.
    private static func published(_ name: String, _ core: SimulatorCore) throws -> SimulatorResponse {
        if name == "root.crl" {
            let service = core.ocsp.withLock { $0 }
            let list = try core.authority.revocationList(
                intermediate: service.modes[.intermediate] ?? service.defaultMode, times: core.times)
            return SimulatorResponse(status: 200, contentType: "application/pkix-crl", body: Array(list))
        }
        guard let certificate = core.authority.published(name) else { throw HTTPError(.notFound) }
        return SimulatorResponse(status: 200, contentType: "application/pkix-cert", body: Array(certificate))
    }

    static func data(_ request: Request, _ context: SimulatorContext, upTo limit: Int? = nil) async throws -> Data {
        let buffer = try await request.body.collect(upTo: limit ?? context.maxUploadSize)
        return Data(buffer.readableBytesView)
    }

    /// Sends a response, with the delay and damage of faults.
    static func send(_ response: SimulatorResponse, _ context: SimulatorContext) async throws -> Response {
        if response.delay > 0 { try await Task.sleep(for: .seconds(response.delay)) }
        if response.damage == .dropped {
            try await context.channel.close()
            throw HTTPError(.internalServerError)
        }
        var headers = HTTPFields()
        if let contentType = response.contentType { headers[.contentType] = contentType }
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        let status = HTTPResponse.Status(code: response.status)
        guard response.damage == .truncated, response.body.count > 1 else {
            return Response(
                status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.body)))
        }
        let half = ByteBuffer(bytes: response.body.prefix(response.body.count / 2))
        let body = ResponseBody(contentLength: response.body.count) { writer in
            try await writer.write(half)
            try await context.channel.close()
        }
        return Response(status: status, headers: headers, body: body)
    }
}
