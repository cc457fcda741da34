internal import LedgerServices
internal import Ledger
internal import Basics
internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// Answers a `POST` that comes again with the same `Idempotency-Key` as it was answered the first time, for a day: who has
/// not heard an answer can ask again, and nothing happens twice.
///
/// What failed here (5xx), or was put off (429), is not remembered: it can succeed the next time. So can a request that was
/// refused for its nonce: that is a header, so with another one it is the same request.
struct IdempotencyMiddleware: RouterMiddleware {
    static let header = HTTPField.Name("idempotency-key")
    private static let repeated = HTTPField.Name("idempotent-replayed")

    /// The routes whose answers are not remembered. A session begins a second time without harm, and its token is nothing to
    /// keep; of what somebody has decoded nothing is kept. A transaction is fetched a second time without harm, and the answer
    /// names customers whom the path does not, so that an erasure would not find it.
    private static let unremembered: Set = ["/v1/sessions", "/v1/decode", "/v1/transactions/{id}/recover"]
    /// How long the server may take to notice that a request takes too long, and to end it.
    private static let ending: Duration = .seconds(90)

    private let storage: any IdempotencyStorage
    private let clock: ServerClock
    private let maximumBytes: Int
    /// How long a request without an answer may be under way.
    private let patience: Milliseconds

    init(storage: any IdempotencyStorage, clock: ServerClock, limits: ServerConfiguration.Limits) {
        (self.storage, self.clock, maximumBytes) = (storage, clock, limits.requestBytes)
        patience = Milliseconds((limits.requestTime + Self.ending).seconds * 1000)
    }

    @concurrent func handle(_ request: Request, context: ServerContext, next: NextHandler) async throws -> Response {
        // What a key in an app may do can be done twice, and everybody has that key: nobody may have the ledger keep a day of
        // answers with it.
        guard let name = Self.header, !request.headers[values: name].isEmpty,
            !Self.unremembered.contains(context.route), context.principal?.isPublic != true
        else { return try await next(request, context) }
        guard request.method == .post else {
            throw APIFailure(
                "invalid_idempotency_key", "Only POST takes an Idempotency-Key.", parameter: "Idempotency-Key")
        }
        let key = try Self.key(request, name)
        let principal = try context.principal.orFailure()
        var request = request
        let body = try await request.bytes(upTo: maximumBytes)
        request.body = RequestBody(buffer: ByteBuffer(bytes: body))
        let client = [principal.name, principal.customer].compactMap(\.self).joined(separator: "\n")
        let start = clock.now().milliseconds
        let decision = try await storage.beginRequest(
            key, of: client, about: Self.customer(context), fingerprint: Self.fingerprint(of: request, body),
            at: start, patience: patience)
        switch decision {
        case .repeats(let answer): return Self.response(answer)
        case .isAnother:
            throw APIFailure(
                .unprocessableContent, "idempotency_key_reused",
                "This Idempotency-Key was used for a different request; use a new one for each.",
                parameter: "Idempotency-Key")
        case .isUnderWay:
            throw APIFailure(
                .conflict, "request_under_way", "A request with this Idempotency-Key is in progress.",
                isRetryable: true, backoff: 1000)
        case .proceed: return try await carryOut(request, context, key, client, begunAt: start, next)
        }
    }

    private func carryOut(
        _ request: Request, _ context: ServerContext, _ key: String, _ client: String, begunAt start: Milliseconds,
        _ next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let result: Result<Response, any Error>
        do { result = .success(try await next(request, context)) } catch {
            result = .failure(error)
        }
        let response: Response
        do { response = try result.get() } catch let failure as APIFailure
            where failure.status.code < 500 && failure.status != .tooManyRequests
            && failure.code != SignedAnswer.invalidNonce
        {
            response = failure.response(from: request, context: context)
        } catch {
            try await end(key, client, begunAt: start, with: nil)
            throw error
        }
        let collector = BodyCollector()
        try await response.body.write(collector)
        let body = collector.buffer
        try await end(
            key, client, begunAt: start,
            with: .init(
                status: response.status.code, type: response.headers[.contentType],
                location: response.headers[.location], body: Data(body.readableBytesView)))
        return Response(status: response.status, headers: response.headers, body: ResponseBody(byteBuffer: body))
    }

    /// Remembers the answer, or forgets the request; also of a request that took too long and was cancelled.
    private func end(
        _ key: String, _ client: String, begunAt start: Milliseconds, with answer: RememberedRequest.Answer?
    ) async throws {
        try await uncancelled { [storage] in
            try await storage.endRequest(key, of: client, begunAt: start, with: answer)
        }
    }

    /// The customer that a request is about, by the name that an erasure finds; nil for what is about none.
    private static func customer(_ context: ServerContext) -> String? {
        guard context.route.hasPrefix("/v1/customers/{id}") else { return nil }
        return context.parameters.get("id").flatMap { String(percentEncoded: $0.utf8) }.map(CustomerName.normal)
    }

    private static func key(_ request: Request, _ name: HTTPField.Name) throws(APIFailure) -> String {
        guard let key = request.headers.only(name), (1...255).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x21..<0x7F).contains($0) })
        else {
            throw APIFailure(
                "invalid_idempotency_key", "An Idempotency-Key has 1 to 255 visible ASCII characters.",
                parameter: "Idempotency-Key")
        }
        return key
    }

    private static func fingerprint(of request: Request, _ body: [UInt8]) -> Data {
        var hash = SHA256()
        for part in [request.method.rawValue, request.uri.description] {
            hash.update(data: Data(part.utf8))
            hash.update(data: [0])
        }
        hash.update(data: body)
        return Data(hash.finalize())
    }

    private static func response(_ answer: RememberedRequest.Answer) -> Response {
        var headers: HTTPFields = [:]
        if let type = answer.type { headers[.contentType] = type }
        if let location = answer.location { headers[.location] = location }
        if let repeated { headers[repeated] = "true" }
        return Response(
            status: .init(code: answer.status), headers: headers,
            body: answer.body.isEmpty ? .init() : ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}

extension Principal? {
    /// Who asks. Behind ``Authorization`` somebody does.
    fileprivate func orFailure() throws(APIFailure) -> Principal {
        guard let self else { throw APIFailure(.unauthorized, "unauthorized", "Send an API key.") }
        return self
    }
}
