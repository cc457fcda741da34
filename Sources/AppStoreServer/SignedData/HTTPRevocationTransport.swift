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
        let response = try await Self.client.execute(message, timeout: .seconds(30))
        guard response.status == .ok else { throw UnexpectedStatus(code: response.status.code) }
        let body = try await response.body.collect(upTo: maximumBytes)
        return Data(body.readableBytesView)
    }

    private struct UnexpectedStatus: Error { let code: UInt }

    // A redirect would lead to a host that the certificate did not name.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.redirectConfiguration = .disallow
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()
}

extension RevocationOptions {
    /// Asks over HTTP under `policy`.
    public init(policy: RevocationPolicy) {
        self.init(policy: policy, transport: HTTPRevocationTransport())
    }
}
