internal import AppStoreModels
internal import AppStoreServer
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// An authorized request to a route below `/v1`.
struct APICall: Sendable {
    let request: Request
    let principal: Principal
    let context: ServerContext
    let resolver: RequestResolver

    /// - Throws: 403 if the key lacks the scope; 404 if a path segment is empty; 400 if the path cannot be decoded.
    init(
        _ request: Request, _ context: ServerContext, needs scope: APIScope, _ resolver: RequestResolver
    ) throws(APIFailure) {
        // The router drops empty segments: `/v1/customers//timeline` would be about a customer named `timeline`.
        guard !Self.hasEmptySegment(request.uri.path) else {
            throw APIFailure.notFound("A segment of the path is empty; see /openapi.yaml.")
        }
        guard Self.canBeDecoded(request.uri.path) else {
            throw APIFailure("invalid_request", "The path is not percent-encoded UTF-8.")
        }
        (self.request, self.context, self.resolver) = (request, context, resolver)
        principal = try context.require(scope)
    }

    /// Whether the path has an empty segment. Runs for every request: comparing the bytes in pairs took 2.5 µs.
    private static func hasEmptySegment(_ path: String) -> Bool {
        var isAfterSlash = false
        for byte in path.utf8 {
            let isSlash = byte == UInt8(ascii: "/")
            if isSlash, isAfterSlash { return true }
            isAfterSlash = isSlash
        }
        return false
    }

    private static func canBeDecoded(_ path: String) -> Bool {
        !path.utf8.contains(UInt8(ascii: "%")) || String(percentEncoded: path.utf8) != nil
    }

    /// Whether the principal may see other customers, and the team members behind an action.
    var maySeeOtherCustomers: Bool { principal.customer == nil }

    /// The app, the environment and the customer.
    func appEnvironmentAndCustomer() throws(APIFailure) -> (AppEnvironment, String) {
        (try appEnvironment(), try customer())
    }

    /// A path parameter, percent-decoded; nil if it cannot be decoded.
    func pathParameter(_ parameter: String) -> String? {
        context.parameters.get(parameter).flatMap { String(percentEncoded: $0.utf8) }
    }

    /// The `Idempotency-Key` of the request; nil unless there is exactly one.
    var idempotencyKey: String? { IdempotencyMiddleware.header.flatMap { request.headers.singleValue(of: $0) } }

    /// Returns a UUID that all attempts of one request share, because it is derived from the idempotency key. Nil
    /// without a key.
    ///
    /// - Parameters:
    ///   - kind: What the request creates.
    ///   - content: The requested values: the same key with other values gives another UUID.
    func idempotentIdentifier(_ kind: String, in appEnvironment: AppEnvironment, _ content: [String]) -> UUID? {
        idempotencyKey.map { key in
            UUID(
                digestOf: [kind, principal.name, key, appEnvironment.bundleID, appEnvironment.environment.rawValue]
                    + content)
        }
    }

    /// Sets the sentence about the change for the audit log. It must be short and contain no secrets.
    ///
    /// - Parameter target: What changes, if the path does not name it.
    func setAuditDetail(_ change: @autoclosure () -> String, of target: String? = nil) {
        context.auditDetail?.set(.init(target: target, text: change()))
    }

    /// Adds an entry about another object that changes to the audit log. So the log can be searched for each of them.
    func addAuditEntry(_ change: @autoclosure () -> String, about target: String) {
        context.auditDetail?.add(.init(target: target, text: change()))
    }

    /// The App Store identifier in the path.
    func identifier(_ name: String) throws(APIFailure) -> String {
        guard let id = pathParameter("id"), id.isAppStoreIdentifier else {
            throw APIFailure(
                "invalid_\(name)", "An App Store identifier has 1 to 64 visible ASCII characters without /.",
                parameter: "id")
        }
        return id
    }

    /// Decodes the body.
    ///
    /// - Parameter form: The expected body, for error messages: `a JSON object that …`.
    // Inlining this into some routes crashes the optimizer of Swift 6.3.1.
    @inline(never)
    func body<Body: JSONRequestBody>(
        _ type: Body.Type, upTo limit: Int = 16 << 10, form: String
    ) async throws -> Body {
        try Body(body: try await bytes(upTo: limit), form: form)
    }

    /// Reads the bytes of the body.
    func bytes(upTo limit: Int = 16 << 10) async throws -> [UInt8] {
        try await request.bytes(upTo: limit)
    }
}

/// Adds routes below `/v1`. Each route names the scope that a key needs, so that no route can omit the check.
struct APIRouter {
    typealias Handler = @Sendable (APICall) async throws -> Response

    let group: RouterGroup<ServerContext>
    let resolver: RequestResolver
    /// Creates the middleware of a route from the scope that a key needs for it.
    let idempotency: (APIScope) -> IdempotencyMiddleware
    let audit: AuditMiddleware

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
        let audited = group.group().addMiddleware {
            idempotency(scope)
            audit
        }
        audited.on(path, method: method) { request, context -> Response in
            let call = try APICall(request, context, needs: scope, resolver)
            // Convert these here: the idempotency and audit middleware recognize only `APIFailure`. The log needs the
            // other errors themselves.
            do { return try await handler(call) } catch
                where error is ServiceFailure || error is AppStoreServerError
                || (error as? SigningError)?.isOfRequest == true
            { throw FailureMiddleware.failure(error) }
        }
    }
}

extension String {
    /// Whether this can be an identifier of the App Store: 1 to 64 visible ASCII characters without `/`.
    var isAppStoreIdentifier: Bool { (1...64).contains(utf8.count) && isVisibleASCII && !contains("/") }
}
