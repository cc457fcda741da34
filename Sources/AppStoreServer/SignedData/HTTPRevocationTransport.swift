internal import AsyncHTTPClient
public import AppStoreTrust
public import Foundation
internal import NIOCore
internal import NIOHTTP1

/// Asks OCSP responders with AsyncHTTPClient's shared client.
public struct HTTPRevocationTransport: RevocationTransport {
    /// Makes a transport; all share one client.
    public init() {}

    /// Sends `request` by POST (RFC 6960 appendix A.1).
    public func answer(to request: Data, from responder: URL, maximumBytes: Int) async throws -> Data {
        var message = HTTPClientRequest(url: responder.absoluteString)
        message.method = .POST
        message.headers.add(name: "Content-Type", value: "application/ocsp-request")
        message.headers.add(name: "Accept", value: "application/ocsp-response")
        message.body = .bytes(request)
        // A redirect would lead to a host that the certificate did not name.
        let response = try await execute(message)
        guard response.status == .ok else {
            throw OCSPProblem("the responder answered with the HTTP status \(response.status.code)")
        }
        let body = try await response.body.collect(upTo: maximumBytes)
        return Data(body.readableBytesView)
    }

    private func execute(_ message: HTTPClientRequest) async throws -> HTTPClientResponse {
        do {
            return try await HTTPClient.withoutRedirects.execute(message, timeout: .seconds(30))
        } catch {
            throw OCSPProblem("no answer from the responder: \(HTTPTransportError(client: error).message)")
        }
    }
}

extension RevocationOptions {
    /// Asks over HTTP under `policy`.
    public init(policy: RevocationPolicy) {
        self.init(policy: policy, transport: HTTPRevocationTransport())
    }
}
