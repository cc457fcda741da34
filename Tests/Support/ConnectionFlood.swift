internal import NIOCore
internal import NIOPosix

/// Clients that connect again and again, until nobody listens.
public enum ConnectionFlood {
    /// Eight clients of a port of 127.0.0.1. Calls `end` when one of them has connected, and returns how often somebody did.
    public static func flood(_ port: Int, until end: @escaping @Sendable () async throws -> Void) async rethrows -> Int
    {
        try await withThrowingTaskGroup(of: Int.self) { group in
            let (connected, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
            for _ in 0..<8 { group.addTask { await connections(to: port, continuation) } }
            for await _ in connected { break }
            try await end()
            return try await group.reduce(0, +)
        }
    }

    private static func connections(to port: Int, _ connected: AsyncStream<Void>.Continuation) async -> Int {
        // So that nobody waits for a connection that will not be.
        defer { connected.finish() }
        var count = 0
        while let channel = try? await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(to: SocketAddress(ipAddress: "127.0.0.1", port: port)).get()
        {
            count += 1
            connected.yield()
            // Who is not there any more has closed it already.
            try? await channel.close()
        }
        return count
    }
}
