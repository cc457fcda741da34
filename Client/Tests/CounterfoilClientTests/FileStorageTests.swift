import CounterfoilClient
import Foundation
import Testing

@Suite struct `Files and the system's scheduler` {
    @Test(.timeLimit(.minutes(1)), arguments: [TimeInterval.nan, -TimeInterval.infinity, -1, 0])
    func `The system scheduler returns at once for durations that are not positive numbers`(_ seconds: TimeInterval)
        async throws
    {
        try await SystemScheduler().sleep(for: seconds)
    }

    @Test(.timeLimit(.minutes(1)), arguments: [TimeInterval.infinity, 1e300])
    func `A wait of the system scheduler ends when its task is cancelled, however long it is`(_ seconds: TimeInterval)
        async
    {
        let waiting = Task { try await SystemScheduler().sleep(for: seconds) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func `A file that cannot be read is an error, not a missing file`() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("a".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        await #expect(throws: CocoaError.self) { try await FileStorage(folder: file).load("device") }
        await #expect(throws: CocoaError.self) { try await FileStorage(folder: file).save(nil, as: "device") }
    }

    @Test func `Files are written, read, replaced and removed`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let storage = FileStorage(folder: folder)
        #expect(try await storage.load("device") == nil)
        try await storage.save(Data("a".utf8), as: "device")
        try await storage.save(Data("b".utf8), as: "device")
        #expect(try await storage.load("device") == Data("b".utf8))
        try await storage.save(nil, as: "device")
        try await storage.save(nil, as: "device")
        #expect(try await storage.load("device") == nil)
    }
}
