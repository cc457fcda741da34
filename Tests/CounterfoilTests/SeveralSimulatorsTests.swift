import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct `Several simulators` {
    /// A home with simulators in several folders.
    private struct Home {
        let folder: URL
        var state: URL { folder.appending(path: "state") }

        func start(_ name: String) async throws -> (command: RunningCommand, url: String, folder: String) {
            let store = folder.appending(path: name).path
            let command = try await RunningCommand(["simulator", "--directory", store, "--json"], state: state)
            var lines = command.lines.makeAsyncIterator()
            let information = try RunningCommand.object(await lines.next())
            let control = try #require(information["controlURL"] as? String)
            return (command, String(control.dropLast("/simulator".count)), store)
        }

        func run(_ arguments: String..., named: String? = nil) async throws -> Command.Outcome {
            var environment = ["XDG_STATE_HOME": state.path]
            environment["COUNTERFOIL_SIMULATOR"] = named
            return try await Command.run(arguments, environment: environment)
        }

        var entries: [String] {
            let folder = state.appending(path: "counterfoil/simulators").path
            return (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        }
    }

    @Test func `Simulators are distinguished by folder and URL, and an ambiguous command is refused`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let home = Home(folder: folder)
            let first = try await home.start("one")
            let alone = try await home.run("simulator", "buy", "anna", "unlock")
            #expect(alone.status == 0)
            #expect(alone.errors == "simulator \(first.url)  \(first.folder)\n")
            let second = try await home.start("two")
            // Neither simulator is the default.
            let ambiguous = try await home.run("simulator", "buy", "anna", "unlock")
            #expect(ambiguous.status == 2 && ambiguous.output.isEmpty)
            for text in [
                "2 simulators run", "--simulator", "$COUNTERFOIL_SIMULATOR", first.url, first.folder, second.url,
            ] {
                #expect(ambiguous.errors.contains(text), "\(ambiguous.errors)")
            }
            for (name, customers) in [
                (first.folder, "anna"), (first.url, "anna"), (first.url + "/simulator/", "anna"),
                (second.folder, "no customers"), (second.url + "/", "no customers"),
            ] {
                let named = try await home.run("simulator", "customers", "--simulator", name)
                #expect(named.status == 0 && named.output.hasPrefix(customers) && named.errors.isEmpty, "\(named)")
                let byVariable = try await home.run("simulator", "customers", named: name)
                #expect(byVariable.output == named.output && byVariable.errors.isEmpty, "\(byVariable)")
            }
            // The option overrides the variable.
            let both = try await home.run("simulator", "customers", "--simulator", first.url, named: second.url)
            #expect(both.output.hasPrefix("anna"))
            for simulator in [first, second] {
                simulator.command.interrupt()
                #expect(await simulator.command.end() == 0)
            }
            #expect(home.entries.isEmpty)
        }
    }

    @Test func `Stopped and killed simulators are ignored and removed from the registry`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let home = Home(folder: folder)
            let running = try await home.start("running")
            let (stopped, killed) = (try await home.start("stopped"), try await home.start("killed"))
            stopped.command.interrupt()
            #expect(await stopped.command.end() == 0)
            killed.command.kill()
            #expect(await killed.command.end() != 0)
            #expect(home.entries.count == 2)
            let advanced = try await home.run("simulator", "clock", "advance", "1d")
            #expect(advanced.status == 0, "\(advanced.errors)")
            #expect(advanced.errors == "simulator \(running.url)  \(running.folder)\n")
            #expect(home.entries.count == 1, "the entry of the killed one is removed")
            running.command.interrupt()
            #expect(await running.command.end() == 0)
            let none = try await home.run("simulator", "clock", "advance", "1d")
            #expect(none.status == 1)
            #expect(none.errors.contains("no simulator is running; start one with: counterfoil simulator"))
            let absent = try await home.run("simulator", "clock", "--simulator", running.url)
            #expect(absent.status == 1 && absent.errors.contains("no simulator answers at \(running.url)"))
        }
    }

    @Test func `In a terminal, several simulators are listed and one is selected by number`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let home = Home(folder: folder)
            let simulators = [try await home.start("one"), try await home.start("two")]
            let executable = try Tool.executable().path
            // `script` provides a terminal.
            func typed(_ answer: String) async throws -> Command.Outcome {
                try await Command.run(
                    URL(filePath: "/usr/bin/env"),
                    ["script", "-qec", "\(executable) clock --json", folder.appending(path: "typescript").path],
                    stdin: Data("\(answer)\n".utf8),
                    environment: ["XDG_STATE_HOME": home.state.path, "PATH": "/usr/bin:/bin"])
            }
            let chosen = try await typed("2")
            #expect(chosen.status == 0, "\(chosen)")
            #expect(chosen.output.contains("2 simulators run:") && chosen.output.contains("Which one? 1 to 2"))
            #expect(chosen.output.contains(#""mode":"real""#))
            #expect(try await typed("3").status == 2)
            for simulator in simulators {
                simulator.command.interrupt()
                #expect(await simulator.command.end() == 0)
            }
        }
    }

    @Test func `server init uses the named simulator`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let home = Home(folder: folder)
            let simulators = [try await home.start("one"), try await home.start("two")]
            let file = folder.appending(path: "c.yaml")
            let ambiguous = try await home.run("server", "init", "--simulator", "--output", file.path)
            #expect(ambiguous.status == 2 && !FileManager.default.fileExists(atPath: file.path))
            let written = try await home.run("server", "init", "--simulator", simulators[1].url, "--output", file.path)
            #expect(written.status == 0, "\(written.errors)")
            #expect(try String(contentsOf: file, encoding: .utf8).contains(simulators[1].url + "/simulator"))
            for simulator in simulators {
                simulator.command.interrupt()
                #expect(await simulator.command.end() == 0)
            }
        }
    }

    @Test func `A server that is not a simulator is reported as such`() async throws {
        let server = try LoopbackServer(answer: LoopbackServer.answer("200 OK", [], Data("{}".utf8)))
        defer { server.stop() }
        let outcome = try await Command.run(["simulator", "clock", "--simulator", "http://127.0.0.1:\(server.port)"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("is not a simulator of this version"))
    }

    /// The simulator answers so while it creates its certificates. It was called no simulator of this version.
    @Test func `A simulator that is starting is reported as such`() async throws {
        let body = Data(#"{"object":"error","code":"starting","message":"the simulator is starting"}"#.utf8)
        let server = try LoopbackServer(answer: LoopbackServer.answer("503 Service Unavailable", [], body))
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)"
        let outcome = try await Command.run(["server", "init", "--simulator", url, "--output", "-"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("refused starting: "), "\(outcome.errors)")
    }
}
