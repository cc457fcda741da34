import Foundation
import StoreSimulator

/// The simulators of this user that run. Each has a file with the path of its folder, and holds a lock on that file as long
/// as its process lives. So an entry that is not locked belongs to a process that was killed: whoever finds it removes it.
struct SimulatorRegistry {
    private let folder: URL

    /// The registry in `$XDG_STATE_HOME`, or in `~/.local/state`.
    init() {
        let environment = ProcessInfo.processInfo.environment
        let home = environment["HOME"].map { URL(filePath: $0) } ?? FileManager.default.homeDirectoryForCurrentUser
        // The XDG specification has a relative path count as none.
        let state =
            environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
            ?? home.appending(path: ".local/state")
        folder = state.appending(path: "counterfoil/simulators")
    }

    /// The entry of a simulator that runs.
    struct Entry: Sendable {
        fileprivate let file: URL
        /// Its lock ends with it, or with the process.
        fileprivate let lock: FileHandle

        /// Takes the simulator from the registry.
        func remove() {
            // One that cannot be removed is not locked any more, so it counts for nothing.
            try? FileManager.default.removeItem(at: file)
        }
    }

    /// Enters a simulator by its folder.
    func enter(_ simulator: URL) throws -> Entry {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let name = UUID().uuidString
        let (draft, file) = (folder.appending(path: "." + name), folder.appending(path: name))
        try Data((simulator.absoluteURL.path + "\n").utf8).write(to: draft)
        let handle = try FileHandle(forUpdating: draft)
        // Locked before it gets its name: nobody finds it without.
        guard flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else { throw CocoaError(.fileLocking) }
        try FileManager.default.moveItem(at: draft, to: file)
        return Entry(file: file, lock: handle)
    }

    /// What the `simulator.json` of each says, by their ports. Entries that a killed process has left behind are removed.
    func running() -> [SimulatorInformation] {
        // No folder is no entry.
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.filter { !$0.lastPathComponent.hasPrefix(".") }.compactMap(Self.read)
            .sorted { $0.controlURL.compare($1.controlURL, options: .numeric) == .orderedAscending }
    }

    private static func read(_ file: URL) -> SimulatorInformation? {
        // What cannot be opened has gone meanwhile, or is somebody else's.
        guard let handle = try? FileHandle(forReadingFrom: file) else { return nil }
        guard flock(handle.fileDescriptor, LOCK_SH | LOCK_NB) != 0 else {
            // What cannot be removed is passed over again the next time.
            try? FileManager.default.removeItem(at: file)
            return nil
        }
        // Nor is one whose file cannot be read: other commands take its folder instead.
        guard let data = try? handle.readToEnd() else { return nil }
        let folder = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
        // Without a readable file it is about to end, or of another version.
        return try? SimulatorLocation.read(folder)
    }
}
