import AppStoreModels
import AppStoreServer
import ArgumentParser
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import counterfoil

/// Checks that help texts and examples match the command.
@Suite(.serialized, .timeLimit(.minutes(10))) struct `Help texts` {
    private static let width = 80
    /// A file that examples need.
    private static let storeKit = "Fuzz/Corpus/catalogues/configuration.storekit"

    /// The help texts of all commands by their full names, such as `counterfoil simulator clock advance`.
    private static let pages = Task { try await pages(below: []) }

    private static func pages(below path: [String]) async throws -> [String: String] {
        let help = try await Command.run(path + ["--help"]).output
        var found = [(["counterfoil"] + path).joined(separator: " "): help]
        for name in subcommands(help) { found.merge(try await pages(below: path + [name])) { $1 } }
        return found
    }

    private static func subcommands(_ help: String) -> [String] {
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(of: "SUBCOMMANDS:") else { return [] }
        return lines[lines.index(after: start)...].prefix { !$0.isEmpty }
            .compactMap { $0.wholeMatch(of: #/  ([a-z0-9-]+)( .*)?/#).map { String($0.1) } }.filter { $0 != "help" }
    }

    @Test func `Examples fit into 80 columns, each on its own lines`() async throws {
        var count = 0
        for (name, help) in try await Self.pages.value {
            for example in Typed.examples(help) {
                count += 1
                #expect(
                    example.firstMatch(of: #/^([A-Z_]+=\S+ |zstd .*\| )?counterfoil /#) != nil,
                    "\(name) breaks \(example)")
            }
            for line in Typed.exampleLines(help) { #expect(line.count <= Self.width, "\(name): \(line)") }
        }
        #expect(count > 40)
    }

    /// Every command without subcommands, with its path.
    private static func leaves(
        of command: any ParsableCommand.Type = Counterfoil.self, at path: [String] = []
    ) -> [(path: [String], type: any ParsableCommand.Type)] {
        let below = command.configuration.subcommands
        return below.isEmpty ? [(path, command)] : below.flatMap { leaves(of: $0, at: path + [$0._commandName]) }
    }

    @Test func `Every command has examples, which its parser accepts`() async throws {
        let pages = try await Self.pages.value
        let leaves = Self.leaves()
        #expect(leaves.count > 40)
        for leaf in leaves {
            let name = (["counterfoil"] + leaf.path).joined(separator: " ")
            let examples = Typed.examples(pages[name] ?? "")
            #expect(!examples.isEmpty, "\(name)")
            for example in examples {
                let words = try await Self.arguments(of: example)
                #expect(throws: Never.self, "\(example)") {
                    let command = try Counterfoil.parseAsRoot(words)
                    #expect(type(of: command) == leaf.type, "\(example)")
                }
            }
        }
    }

    @Test func `Examples of counterfoil api use an environment that has the endpoint`() async throws {
        let examples = Typed.examples(try await Self.pages.value["counterfoil api"] ?? "")
        #expect(examples.contains { $0.contains("--environment ") })
        for example in examples {
            let words = try await Self.arguments(of: example)
            let parsed = try Counterfoil.parseAsRoot(words)
            let command = try #require(parsed as? API, "\(example)")
            let endpoint = try #require(AppStoreEndpoint.all.first { $0.name == command.endpoint }, "\(example)")
            let environment = command.access.environment?.environment ?? .production
            #expect(endpoint.environment ?? environment == environment, "\(example)")
        }
    }

    /// The arguments after `counterfoil`, as split by a shell.
    private static func arguments(of example: String) async throws -> [String] {
        let script = "counterfoil() { printf '%s\\n' \"$@\" >&3; }; exec 3>&1 >/dev/null; zstd() { :; }; \(example)"
        let safe = script.replacing(#/ > \S+/#, with: "").replacing(#/ < \S+/#, with: "")
        let outcome = try await Command.run(URL(filePath: "/bin/bash"), ["-c", safe])
        return outcome.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// ArgumentParser breaks lines between words, except the usage, which terminals wrap.
    @Test func `Lines of help texts fit into 80 columns, except the usage`() async throws {
        let pages = try await Self.pages.value
        #expect(pages.count > 50)
        for (name, help) in pages {
            for line in help.split(separator: "\n") where !line.hasPrefix("USAGE: ") {
                #expect(line.count <= Self.width, "\(name): \(line)")
            }
        }
    }

    /// ArgumentParser continues a line that is too long without indentation.
    @Test func `Lists in help texts keep their indentation`() async throws {
        let pages = try await Self.pages.value
        for (name, heading) in [
            ("counterfoil api", "ENDPOINTS"), ("counterfoil simulator", "THE CLOCK"),
            ("counterfoil simulator do", "COMMANDS"), ("counterfoil simulator fault", "EFFECTS"),
            ("counterfoil simulator revocation", "STATUS"), ("counterfoil demo", "JSON:"),
            ("counterfoil sign promotional-offer", "JSON:"),
        ] {
            let lines = (pages[name] ?? "").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            let start = try #require(lines.firstIndex(of: heading), "\(name)")
            let list = lines[lines.index(after: start)...].prefix { !$0.isEmpty }
            #expect(!list.isEmpty && list.allSatisfy { $0.hasPrefix("  ") }, "\(name): \(list)")
        }
    }

    @Test func `Every help text begins with a verb`() async throws {
        for page in try await Self.pages.value {
            let first = page.value.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            #expect(page.value.hasPrefix("OVERVIEW: ") && !["What", "How", "Whether", "The", "A"].contains(first))
        }
    }

    @Test func `Help texts and documents mention only existing subcommands and options`() async throws {
        let pages = try await Self.pages.value
        var texts = pages.map { ("the help of \($0)", $1) }
        for folder in ["Sources", "docs", "Examples", "Packaging"] {
            let files = FileManager.default.enumerator(
                at: Fixtures.package.appending(path: folder), includingPropertiesForKeys: nil)
            for case let file as URL in files ?? .init()
            where ["swift", "md", "service", "yaml", "mustache"].contains(file.pathExtension) {
                texts.append((file.lastPathComponent, try String(contentsOf: file, encoding: .utf8)))
            }
        }
        for name in ["README.md", "CONTRIBUTING.md"] {
            texts.append((name, try Fixtures.file(name)))
        }
        var count = 0
        // Most files mention no command, and regular expressions are slow on them.
        for (place, text) in texts where text.contains("counterfoil ") {
            let lines = text.replacing(/\\+\n\s*/, with: "").split(separator: "\n")
            for mention in lines.filter({ $0.contains("counterfoil ") }).flatMap({
                $0.matches(of: /counterfoil( [^`|;&#"]+)/)
            }) {
                guard let problem = Self.problem(String(mention.output.0), pages, &count) else { continue }
                Issue.record("\(place): \(problem) in \(mention.output.0)")
            }
        }
        #expect(count > 100)
    }

    /// Returns what is wrong with a mention of the command, or nil.
    private static func problem(_ mention: String, _ pages: [String: String], _ count: inout Int) -> String? {
        let words = mention.split(separator: " ").map(String.init)
        var path = words[0]
        for word in words.dropFirst() {
            guard pages["\(path) \(word)"] != nil else { break }
            path += " " + word
        }
        let options = words.compactMap { $0.firstMatch(of: /^--[a-z][a-z-]*/).map { String($0.output) } }
        if words.count > 1, let now = CommandNames.former[words[1]] { return "\(words[1]) is \(now) by now" }
        // Prose that mentions the product without a subcommand.
        guard path != "counterfoil" else {
            return options.isEmpty || options == ["--help"] ? nil : "no command has \(options)"
        }
        count += 1
        // The default subcommand accepts its options without its name.
        let below = pages.filter { $0.key.hasPrefix(path + " ") }.map(\.value)
        let known = ([pages[path] ?? ""] + below).flatMap { $0.matches(of: /--[a-z][a-z-]*/) }.map { String($0.output) }
        return options.first { !known.contains($0) }.map { "\(path) has no \($0)" }
    }

    @Test func `Routes and notifications in examples exist`() async throws {
        var targets: Set<String> = []
        for help in try await Self.pages.value.values {
            for match in help.matches(of: /'?(route|notification):([A-Za-z0-9_.-]+|\*)/) {
                targets.insert("\(match.1):\(match.2)")
            }
        }
        #expect(targets.contains("route:transaction"))
        var faults = FaultRegistry(seed: 1)
        for target in targets {
            #expect(throws: Never.self, "\(target)") { try faults.add(Fault(target, .drop)) }
        }
    }

    @Test(arguments: ["trigger", "clock", "buy", "do", "customers", "scenario", "fault", "settings"])
    func `Examples of simulator commands succeed`(_ command: String) async throws {
        try await Terminal.open { terminal in
            try await terminal.start("counterfoil simulator --directory ./store --clock frozen:2026-01-01T00:00:00Z")
            let examples = Typed.examples(try #require(try await Self.pages.value["counterfoil simulator \(command)"]))
            #expect(examples.count > 2)
            for example in examples {
                // Create the customers of the examples. Examples of `buy` need none.
                try await terminal.expect("counterfoil simulator reset")
                if command != "buy" {
                    try await terminal.expect("counterfoil simulator buy anna premium.monthly")
                    try await terminal.expect("counterfoil simulator buy anna premium.monthly --environment sandbox")
                }
                try await terminal.expect(example)
            }
        }
    }

    @Test func `Examples that start a simulator start and stop`() async throws {
        try await Terminal.open { terminal in
            try FileManager.default.copyItem(
                at: Fixtures.package.appending(path: Self.storeKit),
                to: terminal.home.appending(path: "Products.storekit"))
            let pages = try await Self.pages.value
            let examples = Typed.examples(pages["counterfoil simulator"] ?? "")
            #expect(examples.count > 3)
            for example in examples where Terminal.keepsRunning(example) {
                let simulator = try await terminal.start(example)
                if example == examples.filter(Terminal.keepsRunning).last {
                    for example in examples where !Terminal.keepsRunning(example) { try await terminal.expect(example) }
                }
                await terminal.end(simulator)
            }
        }
    }

    @Test func `Examples of counterfoil simulator listen receive notifications`() async throws {
        try await Terminal.open { terminal in
            try await terminal.start("counterfoil simulator --clock frozen:2026-01-01T00:00:00Z")
            let examples = Typed.examples(try await Self.pages.value["counterfoil simulator listen"] ?? "")
            #expect(Set(examples.map { $0.contains("--json") }) == [true, false])
            for example in examples {
                guard !example.contains("--json") else {
                    // It prints nothing before the first notification.
                    let listener = try await terminal.begin(example)
                    while listener.isRunning {
                        let line = "counterfoil simulator trigger TEST --environment sandbox"
                        let triggered = try await terminal.type(line)
                        try #require(triggered.status == 0, "\(triggered.errors)")
                    }
                    var lines = listener.lines.makeAsyncIterator()
                    #expect(await lines.next()?.contains(#""valid":true"#) == true)
                    #expect(await listener.end() == 0)
                    continue
                }
                let listener = try await terminal.start(example)
                try await terminal.expect("counterfoil simulator trigger TEST")
                await terminal.end(listener)
            }
        }
    }
}
