internal import ServiceLifecycle
internal import WebConsole

/// Publishes what changes to who follows it, and ends their streams when the server ends.
struct ChangeService: Service {
    let core: ServerCore

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var watch = ChangeWatch(core, core.changes)
            while !Task.isCancelled {
                // Cancelled is the end.
                do { try await Task.sleep(for: .seconds(1)) } catch { break }
                await watch.look()
            }
        }
        core.changes.shutdown()
    }
}
