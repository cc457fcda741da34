import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Requests that expect 100 Continue` {
    private static let body = #"{"customer_consented":true}"#

    /// The head of a request that waits before it sends its body.
    private static func head(_ version: String = "HTTP/1.1", bytes: Int = body.utf8.count) -> String {
        "POST /v1/customers/anna/usage \(version)\r\nHost: x\r\nAuthorization: Bearer \(TestAPIClient.key)\r\n"
            + "Content-Length: \(bytes)\r\nExpect: 100-Continue\r\nConnection: close\r\n\r\n"
    }

    @Test func `The server invites the client to send the body, and then answers`() async throws {
        try await World.withAPI { world in
            let connection = try RawConnection(url: world.url)
            connection.send(Self.head())
            #expect(await connection.readSome() == "HTTP/1.1 100 Continue\r\n\r\n")
            connection.send(Self.body)
            #expect(await connection.read().hasPrefix("HTTP/1.1 204"))
        }
    }

    @Test func `A client of HTTP/1.0, or with too large a body, is not invited`() async throws {
        try await World.withAPI { world in
            let old = try RawConnection(url: world.url)
            old.send(Self.head("HTTP/1.0") + Self.body)
            #expect(await old.read().hasPrefix("HTTP/1.1 204"))
            let large = try RawConnection(url: world.url)
            large.send(Self.head(bytes: 1 << 30))
            #expect(await large.readSome().hasPrefix("HTTP/1.1 413"))
        }
    }
}
