internal import ServiceLifecycle
internal import WebConsole

/// Polls for changes every second, publishes them, and ends the event streams when the server shuts down.
struct ChangeService: Service {
    private let watch: ChangeWatch
    private let hub: EventHub

    init(_ core: ServerCore) { (watch, hub) = (ChangeWatch(core, core.changes), core.changes) }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var watch = watch
            while !Task.isCancelled {
                // Cancellation ends the loop.
                do { try await Task.sleep(for: .seconds(1)) } catch { break }
                await watch.poll()
            }
        }
        hub.shutdown()
    }
}
