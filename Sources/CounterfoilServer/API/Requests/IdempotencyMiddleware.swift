internal import Basics
internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Ledger
internal import LedgerServices
internal import NIOCore

/// Repeats the response to a `POST` that is sent again with the same `Idempotency-Key` within a day, so that a client
/// that received no response can retry safely.
///
/// Server errors (5xx) and rate limits (429) are not stored: a retry may succeed. Neither are missing permissions (401,
/// 403): the team may grant them to the key meanwhile. Neither are rejections of a nonce: the nonce is a header outside
/// of the fingerprint, so a retry with another nonce is the same request. A repeated response about a customer is signed
/// again, with the nonce of the retry.
struct IdempotencyMiddleware: RouterMiddleware {
    static let header = HTTPField.Name("idempotency-key")
    private static let replayedHeader = HTTPField.Name("idempotent-replayed")

    /// The routes whose responses are not stored. Pasted data is never stored. Fetching a transaction twice is
    /// harmless, and an erasure would not find its response, which names customers who are not in the path.
    private static let excludedRoutes: Set = ["/v1/decode", "/v1/transactions/{id}/recover"]
    /// How long the server may take to notice and cancel a request that exceeds its time limit.
    private static let cancellationTime: Duration = .seconds(90)

    /// The scope that the route needs.
    let scope: APIScope
    let storage: any IdempotencyStorage
    let clock: ServerClock
    let limits: ServerConfiguration.Limits
    let responseWriter: CustomerResponseWriter

    /// How long a request without a response counts as in progress.
    private var maximumDuration: Milliseconds {
        let longest = limits.requestTimeout.clampedToWait + Self.cancellationTime
        return Milliseconds(longest.seconds * 1000)
    }

    @concurrent func handle(_ request: Request, context: ServerContext, next: NextHandler) async throws -> Response {
        // Requests with a public key can be repeated without harm. Everybody has such a key, so it must not fill the
        // ledger with responses. The route refuses a key that lacks the scope, even if the key had it before.
        guard let name = Self.header, !request.headers[values: name].isEmpty,
            !Self.excludedRoutes.contains(context.route), let principal = context.principal, !principal.isPublic,
            principal.scopes.contains(scope)
        else { return try await next(request, context) }
        guard request.method == .post else {
            throw APIFailure(
                "invalid_idempotency_key", "Only POST takes an Idempotency-Key.", parameter: "Idempotency-Key")
        }
        let key = try Self.key(request, name)
        var request = request
        let body = try await request.bytes(upTo: limits.requestBytes)
        request.body = RequestBody(buffer: ByteBuffer(bytes: body))
        let start = clock.now().milliseconds
        let decision = try await storage.beginRequest(
            key, of: principal.name, about: Self.customer(context),
            fingerprint: Self.fingerprint(of: request, body, by: principal), at: start, lockTimeout: maximumDuration)
        switch decision {
        case .repeats(let stored):
            var response = Self.response(stored)
            try responseWriter.signAgain(&response, stored.body, for: request)
            return response
        case .isDifferentRequest:
            throw APIFailure(
                .unprocessableContent, "idempotency_key_reused",
                "This Idempotency-Key was used for a different request; use a new one for each.",
                parameter: "Idempotency-Key")
        case .isInProgress:
            throw APIFailure(
                .conflict, "request_under_way", "A request with this Idempotency-Key is in progress.",
                isRetryable: true, backoff: 1000)
        case .proceed: return try await perform(request, context, key, principal.name, begunAt: start, next)
        }
    }

    private func perform(
        _ request: Request, _ context: ServerContext, _ key: String, _ client: String, begunAt start: Milliseconds,
        _ next: NextHandler
    ) async throws -> Response {
        let response: Response
        do { response = try await next(request, context) } catch let failure as APIFailure where Self.isStored(failure)
        {
            response = failure.response(from: request, context: context)
        } catch {
            try await finish(key, client, begunAt: start, with: nil)
            throw error
        }
        let collector = BodyCollector()
        try await response.body.write(collector)
        let body = collector.buffer
        try await finish(
            key, client, begunAt: start,
            with: .init(
                status: response.status.code, type: response.headers[.contentType],
                location: response.headers[.location], body: Data(body.readableBytesView)))
        return Response(status: response.status, headers: response.headers, body: ResponseBody(byteBuffer: body))
    }

    private static let unstoredStatuses: Set<HTTPResponse.Status> = [.unauthorized, .forbidden, .tooManyRequests]

    /// Whether a retry gets the same failure without being processed.
    private static func isStored(_ failure: APIFailure) -> Bool {
        failure.status.code < 500 && !unstoredStatuses.contains(failure.status)
            && failure.code != ResponseSignature.invalidNonce
    }

    /// Stores the response, or removes the request; even if the request was cancelled because of its time limit.
    private func finish(
        _ key: String, _ client: String, begunAt start: Milliseconds, with response: IdempotentRequest.StoredResponse?
    ) async throws {
        try await uncancelled { [storage] in
            try await storage.endRequest(key, of: client, begunAt: start, with: response)
        }
    }

    /// The customer in the path, as an erasure searches for it; nil for a route without a customer.
    private static func customer(_ context: ServerContext) -> String? {
        guard context.route.hasPrefix("/v1/customers/{id}") else { return nil }
        return context.parameters.get("id").flatMap { String(percentEncoded: $0.utf8) }.map(CustomerName.canonical)
    }

    private static func key(_ request: Request, _ name: HTTPField.Name) throws(APIFailure) -> String {
        guard let key = request.headers.singleValue(of: name), (1...255).contains(key.utf8.count),
            key.isVisibleASCII
        else {
            throw APIFailure(
                "invalid_idempotency_key", "An Idempotency-Key has 1 to 255 visible ASCII characters.",
                parameter: "Idempotency-Key")
        }
        return key
    }

    /// A reload can give the name of a key to a key of another app, whose request without the parameter `app` would
    /// otherwise look the same.
    private static func fingerprint(of request: Request, _ body: [UInt8], by principal: Principal) -> Data {
        var hash = SHA256()
        let limits = principal.isUnlimited ? [] : [principal.audience]
        for part in [request.method.rawValue, request.uri.description] + limits {
            hash.update(data: Data(part.utf8))
            hash.update(data: [0])
        }
        hash.update(data: body)
        return Data(hash.finalize())
    }

    private static func response(_ stored: IdempotentRequest.StoredResponse) -> Response {
        var headers: HTTPFields = [:]
        if let type = stored.type { headers[.contentType] = type }
        if let location = stored.location { headers[.location] = location }
        if let replayedHeader { headers[replayedHeader] = "true" }
        return Response(
            status: .init(code: stored.status), headers: headers,
            body: stored.body.isEmpty ? .init() : ResponseBody(byteBuffer: ByteBuffer(bytes: stored.body)))
    }
}
