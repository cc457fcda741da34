internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import Synchronization

/// Counts the connections that were taken and have not got their task yet: to cancel a server that has some ends the process,
/// because Swift NIO does not allow them to be dropped.
final class TakenConnections: Sendable {
    private let count = Atomic<Int>(0)

    /// Waits until all have their task. On a busy machine that takes its time; more than ten seconds would be a fault.
    func haveTasks() async {
        for _ in 0..<1000 where count.load(ordering: .acquiring) > 0 {
            do { try await Task.sleep(for: .milliseconds(10)) } catch { return }
        }
    }

    /// A server whose connections are counted.
    func counting(_ channel: some ServerChildChannel) -> some ServerChildChannel {
        Counted(channel: channel, connections: self)
    }

    private struct Counted<Channel: ServerChildChannel>: ServerChildChannel {
        let channel: Channel
        let connections: TakenConnections

        func setup(channel: any NIOCore.Channel, logger: Logger) -> EventLoopFuture<Channel.Value> {
            connections.count.wrappingAdd(1, ordering: .acquiringAndReleasing)
            let ready = self.channel.setup(channel: channel, logger: logger)
            ready.whenFailure { _ in connections.count.wrappingSubtract(1, ordering: .acquiringAndReleasing) }
            return ready
        }

        func handle(value: Channel.Value, logger: Logger) async {
            connections.count.wrappingSubtract(1, ordering: .acquiringAndReleasing)
            await channel.handle(value: value, logger: logger)
        }
    }
}
