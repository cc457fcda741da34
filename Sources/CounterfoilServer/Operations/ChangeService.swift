internal import ServiceLifecycle
internal import WebConsole

/// Polls for changes every second, publishes them, and ends the event streams when the server shuts down.
struct ChangeService: Service {
    let core: ServerCore

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var watch = ChangeWatch(core, core.changes)
            while !Task.isCancelled {
                // Cancellation ends the loop.
                do { try await Task.sleep(for: .seconds(1)) } catch { break }
                await watch.poll()
            }
        }
        core.changes.shutdown()
    }
}
