import Foundation
import StoreSimulator

/// The registry of this user's running simulators.
///
/// Each entry is a file with the path of the simulator's folder. The simulator's process holds a lock on the file. An
/// entry without a lock belongs to a killed process; the next reader removes it.
struct SimulatorRegistry {
    private let folder: URL

    /// The registry in `$XDG_STATE_HOME`, or in `~/.local/state`.
    init() {
        let environment = ProcessInfo.processInfo.environment
        // The XDG Base Directory Specification ignores relative paths.
        let state =
            environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
            ?? HomeFolder.current.appending(path: ".local/state")
        folder = state.appending(path: "counterfoil/simulators")
    }

    /// The entry of a running simulator.
    struct Entry: Sendable {
        fileprivate let file: URL
        /// The locked file. The lock ends when the handle is closed or the process ends.
        fileprivate let lock: FileHandle

        /// Removes the simulator from the registry.
        func remove() {
            // Ignore a failure: an entry without a lock is ignored.
            try? FileManager.default.removeItem(at: file)
        }
    }

    /// Adds a simulator by its folder.
    func add(_ simulator: URL) throws -> Entry {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let name = UUID().uuidString
        let (draft, file) = (folder.appending(path: "." + name), folder.appending(path: name))
        try Data((simulator.absoluteURL.path + "\n").utf8).write(to: draft)
        let handle = try FileHandle(forUpdating: draft)
        // Lock the file before it gets its final name, so that no reader finds it unlocked.
        guard flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else { throw CocoaError(.fileLocking) }
        try FileManager.default.moveItem(at: draft, to: file)
        return Entry(file: file, lock: handle)
    }

    /// Returns the connection details of all running simulators, sorted by port. Removes entries of killed processes.
    func running() -> [SimulatorInformation] {
        // A missing folder means that there are no entries.
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.filter { !$0.lastPathComponent.hasPrefix(".") }.compactMap(Self.read)
            .sorted { $0.controlURL.compare($1.controlURL, options: .numeric) == .orderedAscending }
    }

    private static func read(_ file: URL) -> SimulatorInformation? {
        // A file that cannot be opened was removed meanwhile, or belongs to another user.
        guard let handle = try? FileHandle(forReadingFrom: file) else { return nil }
        guard flock(handle.fileDescriptor, LOCK_SH | LOCK_NB) != 0 else {
            // Ignore a failure: the entry is skipped next time, too.
            try? FileManager.default.removeItem(at: file)
            return nil
        }
        // Skip an entry that cannot be read: users can name the simulator's folder instead.
        guard let data = try? handle.readToEnd() else { return nil }
        let folder = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
        // Without a readable simulator.json the simulator is stopping, or has another version.
        return try? SimulatorLocation.read(folder)
    }
}
