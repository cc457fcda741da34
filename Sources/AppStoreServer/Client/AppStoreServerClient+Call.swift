internal import Basics
public import Foundation
import Logging

extension AppStoreServerClient {
    /// Calls any endpoint with arguments that are text already, and returns the body of the response unchanged.
    ///
    /// The methods for the individual endpoints are usually more convenient. Use this one to store the exact bytes, or
    /// to build a tool.
    ///
    /// - Parameters:
    ///   - endpoint: One of ``AppStoreEndpoint/all``.
    ///   - arguments: A value for each of ``AppStoreEndpoint/parameters``, not encoded.
    ///   - query: Query parameters, not encoded. A name may occur more than once.
    ///   - body: The body, for an endpoint with a ``AppStoreEndpoint/contentType``.
    /// - Returns: The body of a success, any status from 200 to 299: a JSON object in UTF-8, or no bytes if
    ///   ``AppStoreEndpoint/hasResponseBody`` is false.
    /// - Throws: ``AppStoreServerError``; with `undecodable_response` for a success with any other body, which another
    ///   server must have sent.
    public func call(
        _ endpoint: AppStoreEndpoint, _ arguments: [String] = [], query: [(name: String, value: String)] = [],
        body: Data? = nil
    ) async throws(AppStoreServerError) -> Data {
        let (data, sent, token) = try await responseBody(endpoint, arguments, query: query, body: body)
        guard data.isJSONObject || (data.isEmpty && !endpoint.hasResponseBody) else {
            throw AppStoreServerError(.undecodableResponse, "the response is not a JSON object")
                .adding(data, hiding: token).adding(endpoint, attempts: sent)
        }
        return data
    }

    /// Returns the body of a success, the number of requests that were sent, and the token of the last one.
    private func responseBody(
        _ endpoint: AppStoreEndpoint, _ arguments: [String], query: [(name: String, value: String)], body: Data?
    ) async throws(AppStoreServerError) -> (body: Data, sent: Int, token: String) {
        let target: String
        do { target = try endpoint.target(arguments, query) } catch { throw error.adding(endpoint, attempts: 0) }
        var request = HTTPTransportRequest(
            method: endpoint.method, url: host.url + target, body: body, timeout: configuration.timeout,
            maximumResponseSize: configuration.maximumResponseSize)
        request.headers = [("User-Agent", configuration.userAgent), ("Accept", AppStoreEndpoint.json)]
        if body != nil { request.headers.append(("Content-Type", endpoint.contentType ?? AppStoreEndpoint.json)) }

        var retries = RetryState(
            configuration.retry, endpoint.idempotency, newTokens: max(tokens.keyCount - 1, 1))
        var sent = 0
        var last: AppStoreServerError?
        while true {
            do throws(AppStoreServerError) {
                let success = try await attempt(endpoint, request, &sent)
                return (success.body, sent, success.token)
            } catch {
                let step = retries.step(after: error, now: configuration.now(), random: configuration.random())
                // If the circuit opened during this call, the error that opened it is more useful.
                guard step != .giveUp else {
                    throw (error.code == .circuitOpen ? last ?? error : error).adding(endpoint, attempts: sent)
                }
                // A refused request did not open the circuit: failures of other calls did.
                last = error.isOutage ? error : nil
                if case .retry(let pause) = step {
                    do { try await clock.sleep(pause) } catch { throw Self.cancelled.adding(endpoint, attempts: sent) }
                }
            }
        }
    }

    private func attempt(
        _ endpoint: AppStoreEndpoint, _ request: HTTPTransportRequest, _ sent: inout Int
    ) async throws(AppStoreServerError) -> (body: Data, token: String) {
        if Task.isCancelled { throw Self.cancelled }
        // Check the circuit before the queue, to avoid a useless wait; `begin()` decides after the queue.
        if let pause = circuit?.pause() { throw circuitOpen(pause) }
        do { try await limiter?.wait(for: endpoint.rateClass) } catch { throw Self.cancelled }

        let token: APIToken
        do { token = try tokens.token() } catch { throw AppStoreServerError(.signing, "\(error)") }
        var request = request
        request.headers.append(("Authorization", "Bearer \(token.text)"))

        let isProbe = try beginRequest()
        sent += 1
        let response: HTTPTransportResponse
        do { response = try await transport.send(request) } catch {
            if Task.isCancelled || error is CancellationError {
                circuit?.recordCancellation(isProbe: isProbe)
                throw Self.cancelled
            }
            let failure = AppStoreServerError(error, hiding: token.text)
            circuit?.record(isFailure: failure.isOutage, isProbe: isProbe)
            log(endpoint, sent, "\(failure.code)")
            throw failure
        }
        circuit?.record(isFailure: 500..<600 ~= response.status, isProbe: isProbe)
        log(endpoint, sent, "\(response.status)")
        guard response.body.count <= configuration.maximumResponseSize else {
            throw AppStoreServerError(.responseTooLarge, "more than \(configuration.maximumResponseSize) bytes")
        }
        guard 200..<300 ~= response.status else {
            if response.status == 401 { tokens.discard(token) }
            throw AppStoreServerError(response, hiding: token.text)
        }
        return (response.body, token.text)
    }

    /// Returns whether the request is the probe of the circuit. Throws if the circuit is open.
    private func beginRequest() throws(AppStoreServerError) -> Bool {
        switch circuit?.begin() {
        case .refused(let pause)?: throw circuitOpen(pause)
        case .allowed(let isProbe)?: return isProbe
        case nil: return false
        }
    }

    private func log(_ endpoint: AppStoreEndpoint, _ attempt: Int, _ result: String) {
        configuration.logger.debug(
            "Called the App Store",
            metadata: ["endpoint": "\(endpoint.name)", "attempt": "\(attempt)", "result": "\(result)"])
    }

    private static var cancelled: AppStoreServerError { AppStoreServerError(.cancelled, "the task was cancelled") }

    private func circuitOpen(_ pause: Duration) -> AppStoreServerError {
        let seconds = Int(pause.seconds.rounded(.up))
        let next = pause > .zero ? "the next call is possible in \(seconds) s" : "another call is testing the server"
        return AppStoreServerError(
            .circuitOpen, "too many calls failed; \(next)", retryAfter: configuration.now() + pause.seconds)
    }
}

extension AppStoreServerClient {
    /// Calls an endpoint, with a JSON body if there is a request, and decodes the response.
    func response<Response: Decodable>(
        _ endpoint: AppStoreEndpoint, _ arguments: [String] = [], query: [(name: String, value: String)] = [],
        json request: (any Encodable)? = nil
    ) async throws(AppStoreServerError) -> Response {
        let body: Data? = if let request { try json(request, for: endpoint) } else { nil }
        let (data, sent, token) = try await responseBody(endpoint, arguments, query: query, body: body)
        do { return try JSONDecoder().decode(Response.self, from: data) } catch {
            throw AppStoreServerError.undecodable(error).adding(data, hiding: token).adding(endpoint, attempts: sent)
        }
    }

    /// Calls an endpoint with a JSON body.
    func call(
        _ endpoint: AppStoreEndpoint, _ arguments: [String] = [], json request: some Encodable
    ) async throws(AppStoreServerError) {
        _ = try await call(endpoint, arguments, body: json(request, for: endpoint))
    }

    /// Encodes a request body as JSON.
    package func json(_ value: some Encodable, for endpoint: AppStoreEndpoint) throws(AppStoreServerError) -> Data {
        do { return try JSONEncoder.sorted.encode(value) } catch {
            throw AppStoreServerError(.invalidRequest, "the body cannot be written as JSON").adding(
                endpoint, attempts: 0)
        }
    }
}

extension Data {
    /// Whether the bytes are a JSON object in UTF-8.
    package var isJSONObject: Bool {
        // Foundation also accepts UTF-16, in which ASCII letters have a zero byte. An unreadable body is not a JSON
        // object.
        guard !contains(0), String(validating: self, as: UTF8.self) != nil else { return false }
        return (try? JSONSerialization.jsonObject(with: self)) is [String: Any]
    }
}

extension AppStoreServerError {
    /// Whether the error counts as a failure for the circuit. A response that is too large does not: the server works.
    fileprivate var isOutage: Bool { [.serverFailure, .transport, .timeout, .unreachable].contains(code) }

    /// Returns the error with the endpoint and the number of attempts.
    func adding(_ endpoint: AppStoreEndpoint, attempts: Int) -> AppStoreServerError {
        var error = self
        error.endpoint = endpoint.name
        error.attempts = attempts
        return error
    }
}
