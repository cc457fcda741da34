import AppStoreServer
import Foundation

/// A client for the server's API.
struct DemoServerClient: Sendable {
    let url, key: String
    private let transport = AsyncHTTPClientTransport()

    /// Sends a GET request and decodes the response.
    func get<Answer: Decodable>(_ path: String) async throws -> Answer {
        try await send("GET", path, body: nil)
    }

    /// Sends a POST request with `body` as JSON and decodes the response.
    func post<Answer: Decodable>(_ path: String, _ body: some Encodable) async throws -> Answer {
        try await send("POST", path, body: try JSONEncoder().encode(body))
    }

    private func send<Answer: Decodable>(_ method: String, _ path: String, body: Data?) async throws -> Answer {
        let request = HTTPTransportRequest(
            method: method, url: url + path,
            headers: [("Authorization", "Bearer \(key)"), ("Content-Type", "application/json")], body: body)
        let answer: HTTPTransportResponse
        do { answer = try await transport.send(request) } catch {
            throw Refusal(code: "no_answer", message: "the server does not answer: \(method) \(path)")
        }
        guard (200..<300).contains(answer.status) else {
            throw Refusal(
                code: "unexpected_answer", message: "the server answered \(answer.status) to \(method) \(path)")
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Answer.self, from: answer.body)
    }
}
