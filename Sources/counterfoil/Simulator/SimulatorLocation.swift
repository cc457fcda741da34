import AppStoreModels
import Foundation
import StoreSimulator

/// Where running simulators are found: each writes `simulator.json` into its folder, and the command remembers the folder
/// of the one that was started last.
enum SimulatorLocation {
    private static let start = "start one with: counterfoil simulator"

    /// The file that holds the path of the last simulator's folder.
    private static var pointer: URL {
        let environment = ProcessInfo.processInfo.environment
        let home = environment["HOME"].map { URL(filePath: $0) } ?? FileManager.default.homeDirectoryForCurrentUser
        // The XDG specification has a relative path count as none.
        let state =
            environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
            ?? home.appending(path: ".local/state")
        return state.appending(path: "counterfoil/simulator")
    }

    /// Notes that this simulator is the last one started. Nothing needs it that cannot be told `--simulator`, so a folder
    /// that cannot be written is no reason to stop.
    static func remember(_ folder: URL) {
        let file = pointer
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? Data((folder.path + "\n").utf8).write(to: file, options: .atomic)
    }

    /// Takes the traces of a simulator away that has stopped. Another one that was started since stays the last one.
    static func forget(_ folder: URL) {
        try? FileManager.default.removeItem(at: folder.appending(path: "simulator.json"))
        if (try? rememberedFolder())?.path == folder.path { try? FileManager.default.removeItem(at: pointer) }
    }

    /// What `simulator.json` says in `folder`, or in the folder of the simulator that was started last.
    static func find(_ folder: String?) throws(Refusal) -> SimulatorInformation {
        let url: URL
        if let folder { url = URL(filePath: folder) } else { url = try rememberedFolder() }
        let file = url.appending(path: "simulator.json")
        guard let data = FileManager.default.contents(atPath: file.path) else {
            let which = folder == nil ? "the simulator that was started last has stopped" : "no simulator runs there"
            throw Refusal(message: "\(which): there is no \(file.path); \(start)")
        }
        do { return try JSONDecoder().decode(SimulatorInformation.self, from: data) } catch {
            throw Refusal(message: "\(file.path) is not what a simulator of this version writes; \(start)")
        }
    }

    private static func rememberedFolder() throws(Refusal) -> URL {
        guard let data = FileManager.default.contents(atPath: pointer.path) else {
            throw Refusal(message: "no simulator is running; \(start)")
        }
        return URL(filePath: String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines))
    }

    /// The refusal for a simulator that left its file behind and answers no more.
    static func unreachable(_ information: SimulatorInformation) -> Refusal {
        Refusal(message: "no simulator answers at \(information.controlURL): it has stopped; \(start)")
    }
}

extension SimulatorInformation {
    /// The simulator's folder.
    var folder: URL { URL(filePath: privateKey).deletingLastPathComponent() }
}
