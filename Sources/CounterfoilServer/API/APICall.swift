internal import AppStoreModels
internal import LedgerServices
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger

/// A request to a route below `/v1`, by somebody who may make it.
struct APICall: Sendable {
    let request: Request
    let principal: Principal
    let context: ServerContext
    private let resolver: RequestResolver

    /// - Throws: 403 if the key lacks a scope; 404 for a path with an empty part.
    init(
        _ request: Request, _ context: ServerContext, needs scope: APIScope, _ resolver: RequestResolver
    ) throws(APIFailure) {
        // The router leaves such parts out: `/v1/customers//timeline` would be about a customer called timeline.
        guard !Self.hasEmptyPart(request.uri.path) else {
            throw APIFailure.notFound("A part of the path is empty; see /openapi.yaml.")
        }
        (self.request, self.context, self.resolver) = (request, context, resolver)
        principal = try context.require(scope)
    }

    /// Each request comes by here: pairs of a path with itself took 2.5 µs.
    private static func hasEmptyPart(_ path: String) -> Bool {
        var isAfterSlash = false
        for byte in path.utf8 {
            let isSlash = byte == UInt8(ascii: "/")
            if isSlash, isAfterSlash { return true }
            isAfterSlash = isSlash
        }
        return false
    }

    /// Refuses a key that lacks a scope which only this request needs.
    func require(_ scope: APIScope) throws(APIFailure) { try context.require(scope) }

    /// Whether who asks may know of other customers, and of who of the team did what.
    var namesCustomers: Bool { principal.customer == nil }

    /// The app and environment that it is about.
    func scope() throws(APIFailure) -> Scope { try resolver.scope(of: request, for: principal) }

    /// The app and environment of what was sent, or else of the parameters.
    func scope(of proven: ProvenPurchases) throws(APIFailure) -> Scope {
        try resolver.scope(of: proven, request, for: principal)
    }

    /// All apps and environments that it is about: the numbers of the ledger.
    func visibleScopes() throws(APIFailure) -> [Int64] { try resolver.visible(to: request, for: principal) }

    /// The customer that it is about.
    func customer() throws(APIFailure) -> String {
        try resolver.customer(context.parameters.get("id"), for: principal)
    }

    /// Both.
    func subject() throws(APIFailure) -> (Scope, String) { (try scope(), try customer()) }

    /// What stands in the path, percent-decoded; nil if it cannot be.
    func named(_ parameter: String) -> String? {
        context.parameters.get(parameter).flatMap { String(percentEncoded: $0.utf8) }
    }

    /// The key that the client sends with every attempt of one request; nil where it sends none.
    var idempotencyKey: String? { IdempotencyMiddleware.header.flatMap { request.headers.only($0) } }

    /// What all attempts of one request have in common: it follows from the client's key for them. Nil where there is no key.
    ///
    /// - Parameters:
    ///   - kind: What the request makes.
    ///   - content: What is asked for: the same key with something else is another request.
    func identifierOfAttempts(_ kind: String, in scope: Scope, _ content: [String]) -> UUID? {
        idempotencyKey.map { key in
            UUID(digestOf: [kind, principal.name, key, scope.bundleID, scope.environment.rawValue] + content)
        }
    }

    /// Says in a short sentence without secrets what is changed, for the audit log.
    func describe(_ change: @autoclosure () -> String) { context.auditDetail?.set(change()) }

    /// The identifier of the App Store's that the path names.
    func identifier(_ name: String) throws(APIFailure) -> String {
        guard let id = named("id"), !id.isEmpty, id.utf8.count <= 64,
            id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
        else {
            throw APIFailure(
                "invalid_\(name)", "An App Store identifier has 1 to 64 letters and digits.", parameter: "id")
        }
        return id
    }

    /// The body.
    ///
    /// - Parameter form: What it is, for whoever sent something else: `a JSON object that …`.
    // Inlined into some routes it crashes the optimiser of Swift 6.3.1.
    @inline(never)
    func body<Body: JSONRequestBody>(
        _ type: Body.Type, upTo limit: Int = 16 << 10, form: String
    ) async throws -> Body {
        try Body(body: try await bytes(upTo: limit), form: form)
    }

    /// The bytes of the body.
    func bytes(upTo limit: Int = 16 << 10) async throws -> [UInt8] {
        try await request.bytes(upTo: limit)
    }
}

/// The routes below `/v1`. Each says what a key needs for it, so that none forgets to ask.
struct APIRouter {
    typealias Handler = @Sendable (APICall) async throws -> Response

    let group: RouterGroup<ServerContext>
    let resolver: RequestResolver

    func get(_ path: RouterPath, needs scope: APIScope, _ handler: @escaping Handler) {
        on(path, .get, scope, handler)
    }

    func post(_ path: RouterPath, needs scope: APIScope, _ handler: @escaping Handler) {
        on(path, .post, scope, handler)
    }

    func patch(_ path: RouterPath, needs scope: APIScope, _ handler: @escaping Handler) {
        on(path, .patch, scope, handler)
    }

    func delete(_ path: RouterPath, needs scope: APIScope, _ handler: @escaping Handler) {
        on(path, .delete, scope, handler)
    }

    private func on(
        _ path: RouterPath, _ method: HTTPRequest.Method, _ scope: APIScope, _ handler: @escaping Handler
    ) {
        let resolver = resolver
        group.on(path, method: method) { request, context -> Response in
            let call = try APICall(request, context, needs: scope, resolver)
            // Who remembers answers and who keeps the audit log know a failure by what is answered.
            do { return try await handler(call) } catch let failure as ServiceFailure { throw APIFailure(failure) }
        }
    }
}
