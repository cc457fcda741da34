import AppStoreServer
import ArgumentParser
import Foundation
import StoreSimulator

/// Finds the simulator for a command: the one that is named, or the only one that runs.
enum SimulatorLocation {
    private static let start = "start one with: counterfoil simulator"
    private static let variable = "COUNTERFOIL_SIMULATOR"

    /// Finds a simulator by its folder or URL, from `name` or `$COUNTERFOIL_SIMULATOR`.
    ///
    /// Without a name, returns the running simulator and prints it on standard error. If several run, the user chooses
    /// one.
    ///
    /// - Parameter alternative: Further advice for the error message if no simulator runs.
    static func find(_ name: String?, orElse alternative: String? = nil) async throws -> SimulatorInformation {
        let variable = ProcessInfo.processInfo.environment[variable].flatMap { $0.isEmpty ? nil : $0 }
        if let name = name ?? variable { return isURL(name) ? try await request(name) : try read(name) }
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

    /// Reads `simulator.json` in a folder.
    static func read(_ folder: String) throws(Refusal) -> SimulatorInformation {
        let file = URL(filePath: folder).appending(path: "simulator.json")
        guard let data = FileManager.default.contents(atPath: file.path) else {
            let advice = folder.contains(":") ? "a URL begins with http://" : start
            throw Refusal(
                code: "no_simulator", message: "no simulator runs there: \(file.path.printable) is missing; \(advice)")
        }
        do { return try JSONDecoder().decode(SimulatorInformation.self, from: data) } catch {
            throw Refusal(
                code: "not_a_simulator",
                message: "\(file.path.printable) was not written by a simulator of this version; \(start)")
        }
    }

    /// Removes `simulator.json` from the folder of a stopped simulator.
    static func remove(from folder: URL) {
        // Ignore a failure: if the file stays, other commands report that the simulator does not respond.
        try? FileManager.default.removeItem(at: folder.appending(path: "simulator.json"))
    }

    /// Sends a request to a simulator. Throws ``Refusal`` with the simulator's `url` if there is no response.
    static func send(_ request: HTTPTransportRequest, to url: String) async throws -> HTTPTransportResponse {
        do { return try await AsyncHTTPClientTransport().send(request) } catch let error as CancellationError {
            throw error
        } catch {
            throw Refusal(
                code: "no_answer", message: "no simulator answers at \(url.printable): it has stopped; \(start)")
        }
    }

    // MARK: - By its URL

    private static func isURL(_ name: String) -> Bool { name.hasPrefix("http://") || name.hasPrefix("https://") }

    /// Requests the connection details of the simulator at a URL, with or without the path `/simulator`.
    private static func request(_ url: String) async throws -> SimulatorInformation {
        var base = url[...]
        while base.hasSuffix("/") { base = base.dropLast() }
        let control = base.hasSuffix("/simulator") ? String(base) : base + "/simulator"
        let answer = try await send(HTTPTransportRequest(method: "GET", url: control), to: url)
        // The port is open before the simulator has its certificates.
        if answer.status == 503 {
            throw Refusal(
                code: "starting",
                message: "\(control.printable) is starting; repeat the command in a moment")
        }
        guard answer.status == 200,
            let information = try? JSONDecoder().decode(SimulatorInformation.self, from: answer.body)
        else {
            throw Refusal(
                code: "not_a_simulator", message: "\(control.printable) is not a simulator of this version")
        }
        return information
    }

    // MARK: - Several simulators

    private static func line(_ simulator: SimulatorInformation) -> String {
        "\(simulator.address)  \(simulator.folder.path)".printable
    }

    /// Asks the user to choose, at a terminal. Throws elsewhere.
    private static func choose(among running: [SimulatorInformation]) throws -> SimulatorInformation {
        let names = running.enumerated().map { "  \($0.offset + 1)  \(line($0.element))" }
        guard isatty(FileHandle.standardInput.fileDescriptor) == 1, isatty(FileHandle.standardError.fileDescriptor) == 1
        else {
            throw ValidationError(
                (["\(running.count) simulators run: name one with --simulator or $\(variable)."]
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

    /// The URL of the simulator's web pages.
    var pagesURL: String { address + "/" }

    /// The simulator's URL without a path, such as `http://127.0.0.1:9000`.
    var address: String {
        controlURL.hasSuffix("/simulator") ? String(controlURL.dropLast("/simulator".count)) : controlURL
    }
}
