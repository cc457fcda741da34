import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import CounterfoilServer

/// Clients that send requests without waiting for the responses.
@Suite(.timeLimit(.minutes(10))) struct `Several requests at once` {
    /// Counts how often the pipeline wants to read.
    private final class ReadCounter: ChannelOutboundHandler {
        typealias OutboundIn = HTTPServerResponsePart

        private(set) var count = 0

        func read(context: ChannelHandlerContext) {
            count += 1
            context.read()
        }
    }

    private static func send(_ channel: EmbeddedChannel) throws {
        try channel.writeInbound(
            HTTPServerRequestPart.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
    }

    private static func answer(_ channel: EmbeddedChannel) throws {
        try channel.writeOutbound(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)))
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
    }

    /// Returns the number of parts that were passed on since the last call.
    private static func passed(_ channel: EmbeddedChannel) throws -> Int {
        var count = 0
        while try channel.readInbound(as: HTTPServerRequestPart.self) != nil { count += 1 }
        return count
    }

    @Test func `A request waits for the response to the previous one, and the server reads no more meanwhile`() throws {
        let reads = ReadCounter()
        let channel = EmbeddedChannel(handlers: [reads, RequestQueue()])
        for _ in 0..<3 { try Self.send(channel) }
        let before = reads.count
        channel.read()
        for _ in 0..<2 {
            #expect(try Self.passed(channel) == 2)
            #expect(reads.count == before)
            try Self.answer(channel)
        }
        // The last request has been passed on.
        #expect(try Self.passed(channel) == 2)
        #expect(reads.count == before + 1)
        try Self.answer(channel)
        channel.read()
        #expect(reads.count == before + 2)
        #expect(try Self.passed(channel) == 0)
        _ = try channel.finish()
    }

    @Test func `A request that is answered early is passed on to its end`() throws {
        let channel = EmbeddedChannel(handler: RequestQueue())
        try channel.writeInbound(
            HTTPServerRequestPart.head(HTTPRequestHead(version: .http1_1, method: .POST, uri: "/")))
        try Self.answer(channel)
        try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: "{}")))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        #expect(try Self.passed(channel) == 3)
        try Self.send(channel)
        #expect(try Self.passed(channel) == 2)
        _ = try channel.finish()
    }

    @Test func `A client that closes its side, or sends nonsense, gets the responses to its earlier requests`()
        async throws
    {
        try await World.withAPI { world in
            let request = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"
            for (end, others) in [("", 0), ("nonsense\r\n\r\n", 1), ("GET / HTTP/1.1\r\n\r\n", 1)] {
                let connection = try RawConnection(url: world.url)
                connection.send(String(repeating: request, count: 200) + end)
                connection.finishSending()
                let text = await connection.read()
                #expect(text.components(separatedBy: "HTTP/1.1 200").count == 201)
                #expect(text.components(separatedBy: "HTTP/1.1 400").count == others + 1)
            }
        }
    }
}
