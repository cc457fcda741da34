import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOHTTP1
import Testing

@testable import CounterfoilServer

@Suite struct `Connections that end before the body` {
    /// An error of another library, as TLS has them.
    private struct Foreign: Error {}

    /// Returns the failure with which the server answers if reading a body ends with an error.
    private static func failure(readingFails error: any Error) async -> (thrown: (any Error)?, failure: APIFailure?) {
        let (parts, continuation) = AsyncThrowingStream.makeStream(of: ByteBuffer.self)
        continuation.yield(ByteBuffer(string: "{"))
        continuation.finish(throwing: error)
        let request = Request(
            head: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/"),
            body: RequestBody(asyncSequence: parts))
        do {
            _ = try await request.bytes(upTo: 100)
            return (nil, nil)
        } catch { return (error, FailureMiddleware.failure(error)) }
    }

    @Test func `They are no failure of the server, whatever the error is`() async throws {
        for error in [Foreign(), ChannelError.eof, IOError(errnoCode: 104, reason: "reset")] as [any Error] {
            let failure = try #require(await Self.failure(readingFails: error).failure)
            #expect(failure.status == .badRequest)
            #expect(failure.code == "connection_lost")
        }
    }

    @Test func `Refusals, malformed HTTP and cancellations keep their errors`() async throws {
        let refused = await Self.failure(readingFails: APIFailure.tooLarge(8)).failure
        #expect(refused?.status == .contentTooLarge)
        let malformed = await Self.failure(readingFails: HTTPParserError.invalidEOFState).thrown
        #expect(malformed is HTTPParserError)
        let cancelled = await Self.failure(readingFails: CancellationError()).thrown
        #expect(cancelled is CancellationError)
    }
}
