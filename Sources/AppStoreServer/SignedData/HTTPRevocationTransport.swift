public import AppStoreTrust
internal import AsyncHTTPClient
public import Foundation
internal import NIOCore
internal import NIOHTTP1

/// Sends OCSP requests with a shared HTTP client. A request ends after 30 seconds, even if `RevocationOptions.timeLimit` is
/// longer.
public struct HTTPRevocationTransport: RevocationTransport {
    /// Creates a transport. All transports share one client.
    public init() {}

    /// Sends `request` by POST (RFC 6960 appendix A.1).
    public func send(_ request: Data, to responder: URL, maximumResponseBytes: Int) async throws -> Data {
        var message = HTTPClientRequest(url: responder.absoluteString)
        message.method = .POST
        message.headers.add(name: "Content-Type", value: "application/ocsp-request")
        message.headers.add(name: "Accept", value: "application/ocsp-response")
        message.body = .bytes(request)
        // The client follows no redirects, which could lead to a host that the certificate does not name.
        let response = try await execute(message)
        guard response.status == .ok else {
            throw OCSPProblem("the responder answered with the HTTP status \(response.status.code)")
        }
        let body = try await response.body.collect(upTo: maximumResponseBytes)
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
    /// Checks revocation over HTTP with `policy`.
    public init(policy: RevocationPolicy) {
        self.init(policy: policy, transport: HTTPRevocationTransport())
    }
}
