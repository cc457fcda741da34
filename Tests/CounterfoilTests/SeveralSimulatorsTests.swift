import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct `Several simulators` {
    /// Simulators in one home, by their folders.
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

    @Test func `are told apart by folder and URL, and nobody takes over what the other was asked`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let home = Home(folder: folder)
            let first = try await home.start("one")
            let alone = try await home.run("simulator", "buy", "anna", "unlock")
            #expect(alone.status == 0)
            #expect(alone.errors == "simulator \(first.url)  \(first.folder)\n")
            let second = try await home.start("two")
            // Neither is meant rather than the other.
            let torn = try await home.run("simulator", "buy", "anna", "unlock")
            #expect(torn.status == 2 && torn.output.isEmpty)
            for text in [
                "2 simulators run", "--simulator", "$COUNTERFOIL_SIMULATOR", first.url, first.folder, second.url,
            ] {
                #expect(torn.errors.contains(text), "\(torn.errors)")
            }
            for (name, customers) in [
                (first.folder, "anna"), (first.url, "anna"), (first.url + "/simulator/", "anna"),
                (second.folder, "no customers"), (second.url + "/", "no customers"),
            ] {
                let named = try await home.run("simulator", "customers", "--simulator", name)
                #expect(named.status == 0 && named.output.hasPrefix(customers) && named.errors.isEmpty, "\(named)")
                let told = try await home.run("simulator", "customers", named: name)
                #expect(told.output == named.output && told.errors.isEmpty, "\(told)")
            }
            // What is named with the command counts more than the variable.
            let both = try await home.run("simulator", "customers", "--simulator", first.url, named: second.url)
            #expect(both.output.hasPrefix("anna"))
            for simulator in [first, second] {
                simulator.command.interrupt()
                #expect(await simulator.command.end() == 0)
            }
            #expect(home.entries.isEmpty)
        }
    }

    @Test func `that have stopped or were killed are not in the way of one that runs`() async throws {
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
            let nobody = try await home.run("simulator", "clock", "advance", "1d")
            #expect(nobody.status == 1)
            #expect(nobody.errors.contains("no simulator is running; start one with: counterfoil simulator"))
            let there = try await home.run("simulator", "clock", "--simulator", running.url)
            #expect(there.status == 1 && there.errors.contains("no simulator answers at \(running.url)"))
        }
    }

    @Test func `are listed at a terminal, where one is chosen by its number`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let home = Home(folder: folder)
            let simulators = [try await home.start("one"), try await home.start("two")]
            let executable = try Command.executable().path
            // `script` gives the command a terminal.
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

    @Test func `give init the one that is named`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let home = Home(folder: folder)
            let simulators = [try await home.start("one"), try await home.start("two")]
            let file = folder.appending(path: "c.yaml")
            let torn = try await home.run("server", "init", "--simulator", "--output", file.path)
            #expect(torn.status == 2 && !FileManager.default.fileExists(atPath: file.path))
            let fit = try await home.run("server", "init", "--simulator", simulators[1].url, "--output", file.path)
            #expect(fit.status == 0, "\(fit.errors)")
            #expect(try String(contentsOf: file, encoding: .utf8).contains(simulators[1].url + "/simulator"))
            for simulator in simulators {
                simulator.command.interrupt()
                #expect(await simulator.command.end() == 0)
            }
        }
    }

    @Test func `that are none are said to be none`() async throws {
        let server = try LoopbackServer(answer: LoopbackServer.answer("200 OK", [], Data("{}".utf8)))
        defer { server.stop() }
        let outcome = try await Command.run(["simulator", "clock", "--simulator", "http://127.0.0.1:\(server.port)"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("is not a simulator of this version"))
    }
}
