internal import NIOCore
internal import NIOPosix

/// Clients that connect repeatedly until the port is closed.
public enum ConnectionFlood {
    /// Runs eight clients of a port of 127.0.0.1, calls `end` after the first connection, and returns the number of
    /// connections.
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
        // Otherwise the test would wait for a first connection forever.
        defer { connected.finish() }
        var count = 0
        // Cancelled if `end` failed and the port stays open.
        while !Task.isCancelled,
            let channel = try? await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(to: SocketAddress(ipAddress: "127.0.0.1", port: port)).get()
        {
            count += 1
            connected.yield()
            // Closing fails if the server has closed the connection already.
            try? await channel.close()
        }
        return count
    }
}
