import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `Snapshot versions` {
    @Test(arguments: [4, 6]) func `A snapshot of another version is refused with the code unsupported_snapshot`(
        _ version: Int
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "x.jsonl")
            try await SnapshotFile(file).write(SimulatorState(SimulatorConfiguration(), real: Date()))
            _ = try await SnapshotFile(file).read()
            let text = try String(contentsOf: file, encoding: .utf8)
            let changed = text.replacing("{\"version\":5,", with: "{\"version\":\(version),")
            try #require(changed != text)
            try Data(changed.utf8).write(to: file)
            let error = await #expect(throws: SimulatorError.self) { try await SnapshotFile(file).read() }
            #expect(error?.code == .unsupportedSnapshot)
            #expect(error?.message.contains("with the version that saved it, or save it again") == true)
        }
    }
}
