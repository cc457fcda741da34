import AppStoreServer
import Foundation

/// A client for the server's API.
struct DemoServerClient: Sendable {
    let url, key: String
    private let transport = AsyncHTTPClientTransport()

    /// Sends a GET request and decodes the response.
    func get<Response: Decodable>(_ path: String) async throws -> Response {
        try await send("GET", path, body: nil)
    }

    /// Sends a POST request with `body` as JSON and decodes the response.
    func post<Response: Decodable>(_ path: String, _ body: some Encodable) async throws -> Response {
        try await send("POST", path, body: try JSONEncoder().encode(body))
    }

    private func send<Response: Decodable>(_ method: String, _ path: String, body: Data?) async throws -> Response {
        let request = HTTPTransportRequest(
            method: method, url: url + path,
            headers: [("Authorization", "Bearer \(key)"), ("Content-Type", "application/json")], body: body)
        let response: HTTPTransportResponse
        do { response = try await transport.send(request) } catch {
            throw Refusal(code: "no_answer", message: "the server does not answer: \(method) \(path)")
        }
        guard (200..<300).contains(response.status) else {
            throw Refusal(
                code: "unexpected_answer", message: "the server answered \(response.status) to \(method) \(path)")
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Response.self, from: response.body)
    }
}
