import AppStoreServer
import ArgumentParser
import Foundation
import StoreSimulator

/// Which simulator a command is for: the one that is named, or the only one that runs.
enum SimulatorLocation {
    private static let start = "start one with: counterfoil simulator"
    private static let variable = "COUNTERFOIL_SIMULATOR"

    /// Finds the simulator that `name` or `$COUNTERFOIL_SIMULATOR` names by its folder or URL. Where neither does, it is the
    /// one that runs, which is told on standard error; of several the user chooses. `alternative` is what to do where none
    /// runs, beside starting one.
    static func find(_ name: String?, orElse alternative: String? = nil) async throws -> SimulatorInformation {
        let variable = ProcessInfo.processInfo.environment[variable].flatMap { $0.isEmpty ? nil : $0 }
        if let name = name ?? variable {
            return isURL(name) ? try await ask(name) : try read(name)
        }
        let running = SimulatorRegistry().running()
        guard let first = running.first else {
            throw Refusal(
                code: "no_simulator",
                message: (["no simulator is running", start] + [alternative].compactMap(\.self)).joined(separator: "; ")
            )
        }
        let chosen = running.count == 1 ? first : try choose(among: running)
        Output.error(Style.current(.standardError).faint("simulator \(line(chosen))"))
        return chosen
    }

    /// What `simulator.json` says in a folder.
    static func read(_ folder: String) throws(Refusal) -> SimulatorInformation {
        let file = URL(filePath: folder).appending(path: "simulator.json")
        guard let data = FileManager.default.contents(atPath: file.path) else {
            throw Refusal(
                code: "no_simulator", message: "no simulator runs there: \(file.path.printable) is missing; \(start)")
        }
        do { return try JSONDecoder().decode(SimulatorInformation.self, from: data) } catch {
            throw Refusal(
                code: "not_a_simulator",
                message: "\(file.path.printable) was not written by a simulator of this version; \(start)")
        }
    }

    /// Takes away from the folder of a simulator that has stopped what says that it runs.
    static func forget(_ folder: URL) {
        // A file that stays leads to a port where nobody answers, which is what the command says then.
        try? FileManager.default.removeItem(at: folder.appending(path: "simulator.json"))
    }

    /// The refusal for a simulator that left its file behind and answers no more.
    static func unreachable(_ information: SimulatorInformation) -> Refusal { unreachable(information.controlURL) }

    private static func unreachable(_ url: String) -> Refusal {
        Refusal(code: "no_answer", message: "no simulator answers at \(url.printable): it has stopped; \(start)")
    }

    // MARK: - By its URL

    private static func isURL(_ name: String) -> Bool { name.hasPrefix("http://") || name.hasPrefix("https://") }

    /// What the simulator at a URL says of itself. The URL is that of its control API, or what it begins with.
    private static func ask(_ url: String) async throws -> SimulatorInformation {
        var base = url[...]
        while base.hasSuffix("/") { base = base.dropLast() }
        let control = base.hasSuffix("/simulator") ? String(base) : base + "/simulator"
        let answer: HTTPTransportAnswer
        do {
            answer = try await AsyncHTTPClientTransport().send(HTTPTransportRequest(method: "GET", url: control))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw unreachable(url)
        }
        guard answer.status == 200,
            let information = try? JSONDecoder().decode(SimulatorInformation.self, from: answer.body)
        else {
            throw Refusal(
                code: "not_a_simulator", message: "\(control.printable) is not a simulator of this version")
        }
        return information
    }

    // MARK: - Of several

    private static func line(_ simulator: SimulatorInformation) -> String {
        "\(simulator.address)  \(simulator.folder.path)".printable
    }

    /// Asks at a terminal; elsewhere nobody could answer.
    private static func choose(among running: [SimulatorInformation]) throws -> SimulatorInformation {
        let names = running.enumerated().map { "  \($0.offset + 1)  \(line($0.element))" }
        guard isatty(FileHandle.standardInput.fileDescriptor) == 1, isatty(FileHandle.standardError.fileDescriptor) == 1
        else {
            throw ValidationError(
                (["\(running.count) simulators run: name one by --simulator or $\(variable)."]
                    + running.map { "  \(line($0))" }).joined(separator: "\n"))
        }
        (["\(running.count) simulators run:"] + names + ["Which one? 1 to \(running.count)"]).forEach {
            Output.error($0)
        }
        guard let answer = readLine(), let number = Int(answer.trimmingCharacters(in: .whitespaces)),
            running.indices.contains(number - 1)
        else { throw ValidationError("Expected a number from 1 to \(running.count).") }
        return running[number - 1]
    }
}

extension SimulatorInformation {
    /// The simulator's folder.
    var folder: URL { URL(filePath: privateKey).deletingLastPathComponent() }

    /// Where the simulator's pages are.
    var pagesURL: String { address + "/" }

    /// Where it is, as people name it: `http://127.0.0.1:9000`.
    var address: String {
        controlURL.hasSuffix("/simulator") ? String(controlURL.dropLast("/simulator".count)) : controlURL
    }
}
