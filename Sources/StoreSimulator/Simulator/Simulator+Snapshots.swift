internal import AppStoreModels
internal import Basics
internal import Foundation

// Snapshots: each is the whole state, in a file in the simulator's folder.

extension Simulator {
    /// Saves both stores, the clock and the faults as the snapshot `name`. Replaces an existing snapshot of that name.
    ///
    /// - Throws: ``SimulatorError`` with `invalid_argument` if the name is not 1 to 64 letters, digits, `-` and `_`,
    ///   with `unwritable_directory` if the file cannot be written. `CancellationError` if the task is cancelled.
    public func snapshot(_ name: String) async throws {
        let file = try snapshotFile(name)
        let state = try await core.quiescentState()
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try await SnapshotFile(file).write(state)
        } catch {
            throw SimulatorError(
                .unwritableDirectory, "the snapshot cannot be written to \(file.path): \(FileFailure.reason(error))")
        }
        // The pages list the snapshots.
        core.watch.signal()
    }

    /// Restores the state of the snapshot `name`, including the simulated time. The clock mode stays unchanged, and so
    /// does each notification URL that is set now. If a scenario is running, waits until it ends.
    ///
    /// - Throws: ``SimulatorError`` with `unknown_snapshot` if there is none of this name, `corrupted` if its file is
    ///   damaged, `unsupported_snapshot` if a version of the simulator with another format wrote it, `other_app` if it is
    ///   of another app, `invalid_argument` for an invalid name. `CancellationError` if the task is cancelled.
    public func restore(_ name: String) async throws {
        let state = try await readSnapshot(name)
        let (kept, own) = (state.production.app, core.configuration.app)
        guard kept.bundleID == own.bundleID, kept.appAppleID == own.appAppleID else {
            throw SimulatorError(
                .otherApp,
                "the snapshot \(name) is of \(kept.bundleID) (\(kept.appAppleID)), this simulator is of "
                    + "\(own.bundleID) (\(own.appAppleID))")
        }
        // A running scenario restores the previous state when it ends, which would overwrite this one.
        try await core.scenarioLock.lock()
        defer { core.scenarioLock.unlock() }
        try await core.replace(with: state) { new, old in
            // The receiver of this run keeps receiving notifications.
            for environment in AppStoreEnvironment.simulated {
                guard let url = old[environment].settings.notificationURL else { continue }
                new[environment].settings.notificationURL = url
            }
        }
    }

    /// Empties both stores and starts again with the same seed and at the initial time of the clock. Settings (with the
    /// notification URLs) and catalogues stay as they are; if `includingConfiguration` is true, they return to
    /// their initial values, too. If a scenario is running, waits until it ends.
    ///
    /// - Throws: `CancellationError` if the task is cancelled. Nothing has changed then.
    public func reset(includingConfiguration: Bool = false) async throws {
        try await core.scenarioLock.lock()
        defer { core.scenarioLock.unlock() }
        try await core.replace(with: SimulatorState(core.configuration, real: Date())) { new, old in
            guard !includingConfiguration else { return }
            for environment in AppStoreEnvironment.simulated {
                new[environment].settings = old[environment].settings
                new[environment].catalogue = old[environment].catalogue
            }
        }
    }

    /// Returns the names of the snapshots, in alphabetical order.
    ///
    /// - Throws: An error if the folder of the snapshots cannot be read.
    public func snapshots() throws -> [String] {
        let folder = try snapshotFile("x").deletingLastPathComponent()
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { !$0.hasPrefix(".") && $0.hasSuffix(Self.suffix) }
            .map { String($0.dropLast(Self.suffix.count)) }
            .sorted()
    }

    private func readSnapshot(_ name: String) async throws -> SimulatorState {
        let file = try snapshotFile(name)
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw SimulatorError(.unknownSnapshot, "there is no snapshot \(name)")
        }
        do {
            return try await SnapshotFile(file).read()
        } catch let error as SimulatorError where error.code != .corrupted {
            throw error
        } catch {
            throw SimulatorError(.corrupted, "\(file.path) is not a snapshot, or is damaged")
        }
    }

    private static let suffix = ".jsonl"

    private func snapshotFile(_ name: String) throws(SimulatorError) -> URL {
        // The name becomes part of a file name.
        guard (1...64).contains(name.utf8.count),
            name.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
        else {
            throw SimulatorError(.invalidArgument, "a snapshot's name has 1 to 64 letters, digits, - and _")
        }
        return directory.url.appending(path: "snapshots").appending(path: name + Self.suffix)
    }
}
