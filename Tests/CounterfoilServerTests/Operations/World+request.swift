import AsyncHTTPClient
import CounterfoilServer
import Foundation
import NIOCore
import NIOHTTP1

/// An HTTP response with its text.
struct TextResponse {
    let status: Int
    let headers: HTTPHeaders
    let text: String

    /// Returns the body as a JSON object.
    func object() throws -> [String: Any] {
        guard let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
            throw CocoaError(.coderReadCorrupt)
        }
        return object
    }
}

extension World {
    /// Sends a GET request to the server.
    func request(_ path: String, headers: [String: String] = [:]) async throws -> TextResponse {
        try await request(.GET, path, headers: headers)
    }

    /// Sends a request to the server.
    func request(
        _ method: HTTPMethod, _ path: String, headers: [String: String] = [:], body: String? = nil
    ) async throws -> TextResponse {
        var request = HTTPClientRequest(url: url + path)
        request.method = method
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
        let text = String(buffer: try await response.body.collect(upTo: 1 << 22))
        return TextResponse(status: Int(response.status.code), headers: response.headers, text: text)
    }
}
