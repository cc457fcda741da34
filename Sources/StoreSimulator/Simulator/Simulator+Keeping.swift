internal import Synchronization
internal import AppStoreModels
internal import Basics
internal import Foundation

// Snapshots: the whole state in a file of the simulator's folder.

extension Simulator {
    /// Keeps both stores, the clock and the faults under a name, in place of what had that name before.
    public func snapshot(_ name: String) async throws {
        let file = try snapshotFile(name)
        let state = try await core.wholeState()
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try await SnapshotFile(file).write(state)
            let old = oldSnapshotFile(file)
            if FileManager.default.fileExists(atPath: old.path) { try FileManager.default.removeItem(at: old) }
        } catch {
            throw SimulatorError("unwritable_directory", "the snapshot cannot be written to \(file.path)")
        }
    }

    /// Puts everything back as it was when the snapshot was made, the time included. How time passes stays as it is here, and so
    /// do the URLs for notifications, where there are any. It waits for the end of a scenario that runs.
    public func restore(_ name: String) async throws {
        let state = try await readSnapshot(name)
        let (kept, own) = (state.production.app, core.configuration.app)
        guard kept.bundleID == own.bundleID, kept.appAppleID == own.appAppleID else {
            throw SimulatorError(
                "other_app",
                "the snapshot \(name) is of \(kept.bundleID) (\(kept.appAppleID)), this simulator is of "
                    + "\(own.bundleID) (\(own.appAppleID))")
        }
        // At its end a scenario puts back what it found: not in place of this.
        try await core.scenarioGate.enter()
        defer { core.scenarioGate.leave() }
        try await core.replace(with: state) { new, old in
            // Whoever listens now goes on listening.
            for environment in [AppStoreEnvironment.production, .sandbox] {
                guard let url = old[environment].settings.notificationURL else { continue }
                new[environment].settings.notificationURL = url
            }
        }
    }

    /// Empties both stores and begins again, with the same seed and at the time at which the clock began. Settings, catalogue
    /// and the URLs for notifications stay as they are, unless `everything` goes. It waits for the end of a scenario that
    /// runs.
    public func reset(everything: Bool = false) async throws {
        try await core.scenarioGate.enter()
        defer { core.scenarioGate.leave() }
        try await core.replace(with: SimulatorState(core.configuration, real: Date())) { new, old in
            guard !everything else { return }
            for environment in [AppStoreEnvironment.production, .sandbox] {
                new[environment].settings = old[environment].settings
                new[environment].catalogue = old[environment].catalogue
            }
        }
    }

    /// The names of the snapshots.
    public func snapshots() throws -> [String] {
        let folder = try snapshotFile("x").deletingLastPathComponent()
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .compactMap { file -> String? in
                guard !file.hasPrefix("."), let suffix = [".jsonl", ".json"].first(where: file.hasSuffix) else {
                    return nil
                }
                return String(file.dropLast(suffix.count))
            }
        return Set(names).sorted()
    }

    private func readSnapshot(_ name: String) async throws -> SimulatorState {
        let file = try snapshotFile(name)
        let old = oldSnapshotFile(file)
        do {
            if FileManager.default.fileExists(atPath: file.path) { return try await SnapshotFile(file).read() }
            guard let data = FileManager.default.contents(atPath: old.path) else {
                throw SimulatorError("unknown_snapshot", "there is no snapshot \(name)")
            }
            return try JSONDecoder().decode(SimulatorState.self, from: data)
        } catch let error as SimulatorError where error.code != "corrupted" {
            throw error
        } catch {
            throw SimulatorError("corrupted", "\(file.path) is no snapshot, or is damaged")
        }
    }

    /// Where versions 1 and 2 had the snapshot: one value, in one file.
    private func oldSnapshotFile(_ file: URL) -> URL { file.deletingPathExtension().appendingPathExtension("json") }

    private func snapshotFile(_ name: String) throws(SimulatorError) -> URL {
        // The name becomes a file's.
        guard (1...64).contains(name.utf8.count),
            name.utf8.allSatisfy({
                (48...57).contains($0) || (97...122).contains($0) || (65...90).contains($0) || $0 == 45 || $0 == 95
            })
        else {
            throw SimulatorError("invalid_argument", "a snapshot's name has 1 to 64 letters, digits, - and _")
        }
        return directory.url.appending(path: "snapshots").appending(path: name + ".jsonl")
    }
}
