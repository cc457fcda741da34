internal import NIOCore
internal import NIOPosix

/// A client that connects and sends nothing.
public enum IdleConnection {
    /// Connects to a port of 127.0.0.1, and returns when the server has closed the connection.
    public static func untilClosed(_ port: Int) async throws {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(to: SocketAddress(ipAddress: "127.0.0.1", port: port)).get()
        try await withTaskCancellationHandler {
            try await channel.closeFuture.get()
        } onCancel: {
            channel.close(promise: nil)
        }
        try Task.checkCancellation()
    }
}
