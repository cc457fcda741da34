import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Synchronization
import Testing
import WebConsole

@testable import CounterfoilServer

/// The large responses that need no key. A client can request hundreds before it reads one, so they must not be copies.
@Suite struct `Large responses without a key` {
    /// Keeps the last buffer, without a copy.
    private final class LastBuffer: ResponseBodyWriter, Sendable {
        private let last = Mutex(ByteBuffer())

        var buffer: ByteBuffer { last.withLock(\.self) }

        func write(_ buffer: ByteBuffer) async throws { last.withLock { $0 = buffer } }
        func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    private static func expectSharedBytes(_ first: Response, _ second: Response) async throws {
        let (former, latter) = (LastBuffer(), LastBuffer())
        try await first.body.write(former)
        try await second.body.write(latter)
        // Both exist at once, so that copies have different addresses.
        let (one, other) = (former.buffer, latter.buffer)
        #expect(one.readableBytes > 4096)
        let addresses = [one, other].map { $0.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) } }
        #expect(Set(addresses).count == 1)
    }

    @Test func `All responses with the API description share its bytes`() async throws {
        try await Self.expectSharedBytes(APIDescription.response, APIDescription.response)
    }

    @Test func `All responses with a file of the console share its bytes`() async throws {
        let assets = ConsoleAssets(folder: ["assets"])
        let name = try #require(assets.style.description.split(separator: "/").last.map { String($0) })
        try await Self.expectSharedBytes(assets.response(name), assets.response(name))
    }
}
