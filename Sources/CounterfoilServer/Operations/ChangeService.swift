internal import ServiceLifecycle
internal import WebConsole

/// Publishes what changes to who follows it, and ends their streams when the server ends.
struct ChangeService: Service {
    private let watch: ChangeWatch
    private let hub: EventHub

    init(_ core: ServerCore) { (watch, hub) = (ChangeWatch(core, core.changes), core.changes) }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var watch = watch
            while !Task.isCancelled {
                // Cancelled is the end.
                do { try await Task.sleep(for: .seconds(1)) } catch { break }
                await watch.look()
            }
        }
        hub.shutdown()
    }
}
