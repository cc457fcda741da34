import AppStoreServer
import Foundation

/// Requests of the demo to the server's API.
struct DemoServerClient: Sendable {
    let server: ServerClient

    /// Sends a GET request and decodes the response.
    func get<Response: Decodable>(_ path: String) async throws -> Response { try await send("GET", path, nil) }

    /// Sends a POST request with `body` as JSON and decodes the response.
    func post<Response: Decodable>(_ path: String, _ body: some Encodable) async throws -> Response {
        try await send("POST", path, try JSONEncoder().encode(body))
    }

    private func send<Response: Decodable>(_ method: String, _ path: String, _ body: Data?) async throws -> Response {
        let response = try await server.send(method, path, body, maximumResponseSize: 16 << 20)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Response.self, from: response.body)
    }
}
