import AsyncHTTPClient
import CounterfoilServer
import Foundation
import NIOCore
import NIOHTTP1

/// An answer over HTTP.
struct Answered {
    let status: Int
    let headers: HTTPHeaders
    let text: String

    /// The body as one JSON object.
    func object() throws -> [String: Any] {
        guard let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
            throw CocoaError(.coderReadCorrupt)
        }
        return object
    }
}

extension World {
    /// Asks the server for something.
    func ask(_ path: String, headers: [String: String] = [:]) async throws -> Answered {
        try await ask(.GET, path, headers: headers)
    }

    /// Asks the server.
    func ask(
        _ method: HTTPMethod, _ path: String, headers: [String: String] = [:], body: String? = nil
    ) async throws -> Answered {
        var request = HTTPClientRequest(url: url + path)
        request.method = method
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let text = String(buffer: try await response.body.collect(upTo: 1 << 22))
        return Answered(status: Int(response.status.code), headers: response.headers, text: text)
    }
}
