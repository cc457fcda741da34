public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Calls a Counterfoil server.
///
/// The API key must be marked `public` in the server's configuration: it gives no access without a customer's token.
public struct HTTPBackend: Backend {
    private let server: URL
    private let key: String
    private let app: String?
    private let session: URLSession
    private let verifier: ResponseVerifier?

    /// - Parameters:
    ///   - server: The server's base URL, without `/v1`.
    ///   - key: An API key that is marked `public`.
    ///   - app: The bundle identifier, if the key is for several apps.
    ///   - session: The session for the requests. A request times out after ten seconds without data; ``PurchaseClient``
    ///     waits ten seconds in all.
    ///   - verifier: Rejects responses about customers that the server did not sign. Nil: only TLS authenticates the
    ///     server.
    public init(
        server: URL, key: String, app: String? = nil, session: URLSession = .shared, verifier: ResponseVerifier? = nil
    ) { (self.server, self.key, self.app, self.session, self.verifier) = (server, key, app, session, verifier) }

    /// Sends `POST /v1/customers/{id}/purchases`.
    public func report(
        _ report: PurchaseReport, for customer: CustomerCredential
    ) async throws(BackendFailure) -> CustomerResponse {
        try await send(["customers", customer.customer, "purchases"], customer.token, report.environment, report)
    }

    /// Sends `GET /v1/customers/{id}`.
    public func customer(
        _ customer: CustomerCredential, environment: String?
    ) async throws(BackendFailure) -> CustomerResponse {
        try await send(["customers", customer.customer], customer.token, environment, nil)
    }

    /// Sends `POST /v1/customers/{id}/merge`.
    public func merge(
        _ anonymous: CustomerCredential, into customer: CustomerCredential, environment: String?
    ) async throws(BackendFailure) -> CustomerResponse {
        var body = ["from": anonymous.customer]
        body["from_token"] = anonymous.token
        return try await send(["customers", customer.customer, "merge"], customer.token, environment, body)
    }

    /// Sends `POST /v1/sessions`.
    public func session(
        for customer: String, appTransaction: String
    ) async throws(BackendFailure) -> CustomerCredential {
        let body = ["customer": customer, "app_transaction": appTransaction]
        return try await send(["sessions"], nil, SignedText.environment(of: appTransaction), body)
    }

    private struct ErrorBody: Decodable {
        var code, message, param: String?
        var retryable: Bool?
        var backoffMs: Double?
    }

    // The function has four callers, and a copy for each decodes its response.
    @inline(never) private func send<Answer: Decodable>(
        _ path: [String], _ token: String?, _ environment: String?, _ body: (any Encodable)?
    ) async throws(BackendFailure) -> Answer {
        let data = try await data(for: request(path, token, environment, body), about: path.dropFirst().first)
        do { return try CustomerResponse.decoder.decode(Answer.self, from: data) } catch {
            // A body that does not begin with a brace is a page of the network, not JSON.
            throw BackendFailure(code: "invalid_response", message: data.first == UInt8(ascii: "{") ? "\(error)" : "")
        }
    }

    /// Sends a request and verifies the signature. Not part of `send`, so that the generic code stays small.
    private func data(for asked: URLRequest, about customer: String?) async throws(BackendFailure) -> Data {
        var request = asked
        let nonce = UUID().uuidString
        if verifier != nil { request.setValue(nonce, forHTTPHeaderField: "Counterfoil-Nonce") }
        let (data, answer): (Data, URLResponse)
        do { (data, answer) = try await answerUntilCancelled(to: request) } catch {
            throw (error as? URLError)?.code == .timedOut ? .timeout : .noConnection
        }
        guard let response = answer as? HTTPURLResponse else { throw .invalidResponse }
        guard response.statusCode == 200 || response.statusCode == 201 else { throw Self.failure(response, data) }
        let signature = response.value(forHTTPHeaderField: "Counterfoil-Signature")
        // Responses of `POST /v1/sessions` are not signed: there is no customer yet.
        if let verifier, let customer, !verifier.verifies(signature, of: customer, nonce, data) {
            // A response that is not JSON is a page of the network, not an unsigned response of the server.
            throw response.mimeType == "application/json" ? .unverifiedResponse : .invalidResponse
        }
        return data
    }

    /// Sends a request and waits for the response until the task is cancelled. Cancellation ends the request too, but not
    /// on Linux: there, cancelling a URLSession task while it completes can crash the process
    /// (swift-corelibs-foundation), so the request runs in a separate task.
    private func answerUntilCancelled(to request: URLRequest) async throws -> (Data, URLResponse) {
        #if canImport(FoundationNetworking)
            try Task.checkCancellation()
            let (answers, waiting) = AsyncThrowingStream.makeStream(of: (Data, URLResponse).self)
            Task { [session] in
                do { waiting.yield(try await session.data(for: request)) } catch { waiting.finish(throwing: error) }
            }
            for try await answer in answers { return answer }
            throw CancellationError()
        #else
            return try await session.data(for: request)
        #endif
    }

    private func request(
        _ path: [String], _ token: String?, _ environment: String?, _ body: (any Encodable)?
    ) throws(BackendFailure) -> URLRequest {
        var address = URLComponents(url: server, resolvingAgainstBaseURL: false)
        // A customer's identifier may contain any character, including slashes.
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        let parts = path.compactMap { $0.addingPercentEncoding(withAllowedCharacters: unreserved) }
        var base = address?.percentEncodedPath ?? ""
        while base.hasSuffix("/") { base.removeLast() }
        address?.percentEncodedPath = base + "/v1/" + parts.joined(separator: "/")
        let query = [("app", app), ("environment", environment)].compactMap { name, value in
            value.map { URLQueryItem(name: name, value: $0) }
        }
        address?.queryItems = query.isEmpty ? nil : query
        guard let url = address?.url, parts.count == path.count else {
            throw BackendFailure(status: 400, code: "bad_request", message: "The address of the server is not a URL.")
        }
        var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 10)
        request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
        if let token { request.setValue(token, forHTTPHeaderField: "Counterfoil-Customer-Token") }
        if let body {
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            do { request.httpBody = try JSONEncoder().encode(body) } catch {
                throw BackendFailure(status: 400, code: "bad_request", message: "\(error)")
            }
        }
        return request
    }

    private static func failure(_ response: HTTPURLResponse, _ data: Data) -> BackendFailure {
        // A proxy may send another body; then only the status is used.
        let body = (try? CustomerResponse.decoder.decode(ErrorBody.self, from: data)) ?? ErrorBody()
        let pause = retryAfter(response) ?? body.backoffMs.map { $0 / 1000 }
        return BackendFailure(
            status: response.statusCode, code: body.code ?? "http_\(response.statusCode)",
            message: body.message ?? "", parameter: body.param, retryAfter: pause.flatMap { $0.isFinite ? $0 : nil },
            isRetryable: body.retryable ?? false)
    }

    /// Returns the delay of `Retry-After`: seconds, or a date relative to the `Date` header, because the device's clock
    /// may be wrong.
    private static func retryAfter(_ response: HTTPURLResponse) -> TimeInterval? {
        guard let text = response.value(forHTTPHeaderField: "Retry-After") else { return nil }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        let sent = response.value(forHTTPHeaderField: "Date").flatMap { format.date(from: $0) }
        return TimeInterval(text) ?? sent.flatMap { format.date(from: text)?.timeIntervalSince($0) }
    }
}
