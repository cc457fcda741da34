internal import Basics
public import Foundation
import Logging

extension AppStoreServerClient {
    /// Calls any endpoint with values that are text already, and gives back the body of the answer as it came.
    ///
    /// The methods for the single endpoints are made of this. Call it to keep the very bytes, or to build a tool.
    ///
    /// - Parameters:
    ///   - endpoint: One of ``AppStoreEndpoint/all``.
    ///   - arguments: A value for each of ``AppStoreEndpoint/parameters``, not yet encoded.
    ///   - query: Query parameters, not yet encoded; a name may come more than once.
    ///   - body: The body, for an endpoint with a ``AppStoreEndpoint/contentType``.
    /// - Returns: The body of a success, any status from 200 to 299: a JSON object in UTF-8, or nothing where
    ///   ``AppStoreEndpoint/hasAnswer`` is false.
    /// - Throws: Also `undecodable_answer` for a success with any other body: another server than the App Store's answered.
    public func call(
        _ endpoint: AppStoreEndpoint, _ arguments: [String] = [], query: [(name: String, value: String)] = [],
        body: Data? = nil
    ) async throws(AppStoreServerError) -> Data {
        let (data, sent) = try await unreadAnswer(endpoint, arguments, query: query, body: body)
        guard Self.isJSONObject(data) || (data.isEmpty && !endpoint.hasAnswer) else {
            throw Self.undecodable("the answer is not a JSON object", data).about(endpoint, sent)
        }
        return data
    }

    private static func isJSONObject(_ data: Data) -> Bool {
        // Foundation would take UTF-16 as well, where every letter of ASCII has a zero. Whatever cannot be read is not a
        // JSON object.
        guard !data.contains(0), String(validating: data, as: UTF8.self) != nil else { return false }
        return (try? JSONSerialization.jsonObject(with: data)) is [String: Any]
    }

    private static func undecodable(_ reason: String, _ body: Data) -> AppStoreServerError {
        var failure = AppStoreServerError(.undecodableAnswer, reason)
        failure.body = body.prefix(AppStoreServerError.maximumBodySize)
        return failure
    }

    /// The body of a success, and how many requests it took.
    private func unreadAnswer(
        _ endpoint: AppStoreEndpoint, _ arguments: [String], query: [(name: String, value: String)], body: Data?
    ) async throws(AppStoreServerError) -> (body: Data, sent: Int) {
        let target: String
        do { target = try endpoint.target(arguments, query) } catch { throw error.about(endpoint, 0) }
        var request = HTTPTransportRequest(
            method: endpoint.method, url: host.url + target, body: body, timeout: configuration.timeout,
            maximumAnswerSize: configuration.maximumAnswerSize)
        request.headers = [("User-Agent", configuration.userAgent), ("Accept", "application/json")]
        if body != nil { request.headers.append(("Content-Type", endpoint.contentType ?? "application/json")) }

        var attempts = Attempts(configuration.retry, endpoint.repetition)
        var sent = 0
        var last: AppStoreServerError?
        while true {
            do throws(AppStoreServerError) {
                let answer = try await attempt(endpoint, request, &sent)
                return (answer, sent)
            } catch {
                let step = attempts.step(after: error, now: configuration.now(), random: configuration.random())
                // If the circuit opened in the course of this call, what opened it says more.
                guard step != .giveUp else {
                    throw (error.code == .circuitOpen ? last ?? error : error).about(endpoint, sent)
                }
                // A refusal did not open it: failures of other calls did.
                last = error.isOutage ? error : nil
                if case .again(let pause) = step {
                    do { try await clock.sleep(pause) } catch { throw Self.cancelled.about(endpoint, sent) }
                }
            }
        }
    }

    private func attempt(
        _ endpoint: AppStoreEndpoint, _ request: HTTPTransportRequest, _ sent: inout Int
    ) async throws(AppStoreServerError) -> Data {
        if Task.isCancelled { throw Self.cancelled }
        // Asked before the queue, so that nobody stands in it for nothing; and after it, when it counts.
        if let pause = circuit?.pause() { throw circuitOpen(pause) }
        do { try await limiter?.wait(for: endpoint.rateClass) } catch { throw Self.cancelled }

        let token: APIToken
        do { token = try tokens.token() } catch { throw AppStoreServerError(.signing, error.description) }
        var request = request
        request.headers.append(("Authorization", "Bearer \(token.text)"))

        var isProbe = false
        switch circuit?.begin() {
        case .refused(let pause)?: throw circuitOpen(pause)
        case .go(let probe)?: isProbe = probe
        case nil: break
        }
        sent += 1
        let answer: HTTPTransportAnswer
        do { answer = try await transport.send(request) } catch {
            if Task.isCancelled || error is CancellationError {
                circuit?.abandoned(isProbe: isProbe)
                throw Self.cancelled
            }
            let failure = AppStoreServerError(error, hiding: token.text)
            if failure.isOutage { circuit?.failed(isProbe: isProbe) } else { circuit?.succeeded(isProbe: isProbe) }
            log(endpoint, sent, "\(failure.code)")
            throw failure
        }
        if 500..<600 ~= answer.status {
            circuit?.failed(isProbe: isProbe)
        } else {
            circuit?.succeeded(isProbe: isProbe)
        }
        log(endpoint, sent, "\(answer.status)")
        guard answer.body.count <= configuration.maximumAnswerSize else {
            throw AppStoreServerError(.answerTooLarge, "more than \(configuration.maximumAnswerSize) bytes")
        }
        guard 200..<300 ~= answer.status else {
            if answer.status == 401 { tokens.discard(token) }
            throw AppStoreServerError(answer, hiding: token.text)
        }
        return answer.body
    }

    private func log(_ endpoint: AppStoreEndpoint, _ attempt: Int, _ result: String) {
        configuration.logger.debug(
            "Called the App Store",
            metadata: ["endpoint": "\(endpoint.name)", "attempt": "\(attempt)", "result": "\(result)"])
    }

    private static var cancelled: AppStoreServerError { AppStoreServerError(.cancelled, "the task was cancelled") }

    private func circuitOpen(_ pause: Duration) -> AppStoreServerError {
        // A pause may be set to be for ever, which is more seconds than an Int has.
        let seconds = Int(min(pause.seconds.rounded(.up), 1e15))
        let next = pause > .zero ? "the next one may go in \(seconds) s" : "one is being tried"
        return AppStoreServerError(
            .circuitOpen, "too many calls failed; \(next)", retryAfter: configuration.now() + pause.seconds)
    }
}

extension AppStoreServerClient {
    /// A call whose answer is a model.
    func answer<Answer: Decodable>(
        _ endpoint: AppStoreEndpoint, _ arguments: [String] = [], query: [(name: String, value: String)] = [],
        body: Data? = nil
    ) async throws(AppStoreServerError) -> Answer {
        let (data, sent) = try await unreadAnswer(endpoint, arguments, query: query, body: body)
        do { return try JSONDecoder().decode(Answer.self, from: data) } catch {
            var failure = AppStoreServerError.undecodable(error).about(endpoint, sent)
            failure.body = data.prefix(AppStoreServerError.maximumBodySize)
            throw failure
        }
    }

    /// The JSON of a body.
    package func json(_ value: some Encodable, for endpoint: AppStoreEndpoint) throws(AppStoreServerError) -> Data {
        do { return try JSONEncoder.sorted.encode(value) } catch {
            throw AppStoreServerError(.invalidRequest, "the body cannot be written as JSON").about(endpoint, 0)
        }
    }
}

extension AppStoreServerError {
    /// Whether it is one of those that open the circuit. Too large an answer is not: the server works.
    fileprivate var isOutage: Bool { [.serverFailure, .transport, .timeout, .unreachable].contains(code) }

    /// The same error with where it happened.
    func about(_ endpoint: AppStoreEndpoint, _ attempts: Int) -> AppStoreServerError {
        var error = self
        error.endpoint = endpoint.name
        error.attempts = attempts
        return error
    }
}
