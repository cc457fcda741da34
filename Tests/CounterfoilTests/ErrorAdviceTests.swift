import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import counterfoil

@Suite struct `Advice in error messages` {
    @Test(arguments: [
        ("verify", #"{"signedPayload":"eyJ.eyJ.c"}"#, "the signedPayload of a notification"),
        ("verify", "MIIQuAYJKoZIhvcNAQcCoIIQqTCCEKUCAQEx", "counterfoil receipt"),
        ("receipt", "eyJhbGciOiJFUzI1NiJ9.eyJhIjoxfQ.AAAA", "counterfoil verify"),
    ])
    func `A text for another command is refused with a hint at that command`(
        _ command: String, _ text: String, _ advice: String
    ) async throws {
        let outcome = try await Command.run([command, "-"], stdin: Data(text.utf8))
        #expect(outcome.status == 1 && outcome.errors.contains(advice), "\(outcome.errors)")
        // Programs branch on the code, and the message is that of the verifier.
        let object = try await Command.run([command, "-", "--json"], stdin: Data(text.utf8)).object()
        #expect((object["message"] as? String)?.contains("counterfoil") == false)
    }

    @Test(arguments: [("verify", "eyJ"), ("receipt", "MII")])
    func `A text that is given instead of its file is not repeated in the error`(_ command: String, _ start: String)
        async throws
    {
        let text = start + String(repeating: "A", count: 5000)
        let outcome = try await Command.run([command, text])
        #expect(outcome.status == 2 && outcome.errors.hasPrefix("Error: Name the file with the text, or - for"))
        #expect(!outcome.errors.contains(text), "\(outcome.errors)")
    }

    @Test func `The address of a simulator without its scheme is refused with advice`() async throws {
        let outcome = try await Command.run(["simulator", "status", "--simulator", "127.0.0.1:9000"])
        #expect(outcome.status == 1 && outcome.errors.contains("; a URL begins with http://"), "\(outcome.errors)")
    }

    @Test func `Data that a simulator signed is refused with the option that trusts it`() async throws {
        let testData = try SignedTestData.shared.get()
        let signed = try await Command.run(["verify", "-"], stdin: Data(try testData.transaction().utf8))
        #expect(signed.status == 1 && signed.errors.contains("; --simulator trusts a simulator"), "\(signed.errors)")
        let receipt = try await Command.run(["receipt", "-"], stdin: try testData.receipt())
        #expect(receipt.status == 1 && receipt.errors.contains("; --simulator trusts a simulator"), "\(receipt.errors)")
    }

    @Test func `The commands in the notes on a file of Xcode succeed`() async throws {
        try await Terminal.open { terminal in
            let file = terminal.home.appending(path: "Products.storekit")
            let settings = """
                {"settings": {"_billingGracePeriodEnabled": true, "_renewalBillingIssuesEnabled": true,
                              "_billingIssuesEnabled": true, "_askToBuyEnabled": true}}
                """
            try Data(settings.utf8).write(to: file)
            let commands = try Catalogue.read(path: file.path).warnings.flatMap { note in
                note.matches(of: /`(counterfoil [^`]+)`/).map { String($0.output.1) }
            }
            #expect(commands.count == 4)
            try await terminal.start("counterfoil simulator --catalogue Products.storekit")
            // Only customers who exist can fail to pay: the last command creates anna.
            for command in commands.reversed() { try await terminal.expect(command) }
        }
    }

    @Test(arguments: [
        (["simulator", "--catalogue"], "products:\n  - id: a\n"),
        (["simulator", "scenario", "run", "--alone"], "name: x\nsteps:\n  - frob: 1\n  - turn: 3\n"),
    ])
    func `All errors in a file are printed on one line`(_ arguments: [String], _ text: String) async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "wrong.yaml")
            try Data(text.utf8).write(to: file)
            let outcome = try await Command.run(arguments + [file.path])
            #expect(outcome.status == 1 && outcome.errors.contains("; "), "\(outcome.errors)")
            #expect(outcome.errors.contains("wrong.yaml: "), "\(outcome.errors)")
            #expect(outcome.errors.count(where: { $0 == "\n" }) == 1 && !outcome.errors.contains("u{a}"))
        }
    }

    @Test func `A scenario may begin with a byte order mark`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "mine.yaml")
            let text = "\u{FEFF}name: x\nsteps:\n  - advance: 1 day\n"
            try Data(text.utf8).write(to: file)
            let outcome = try await Command.run(["simulator", "scenario", "run", file.path, "--alone"])
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
    }

    @Test(arguments: [("Products.storekit", "{}"), ("products.yaml", "products: []\n")])
    func `A catalogue without products is refused with its file name`(_ name: String, _ text: String) async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: name)
            try Data(text.utf8).write(to: file)
            // A simulator cannot use a file as its folder, so the command ends.
            let outcome = try await Command.run(["simulator", "--catalogue", file.path, "--directory", file.path])
            #expect(outcome.errors.contains("\(name): has no products"), "\(outcome.errors)")
        }
    }

    @Test func `A folder named as a key is refused as a folder`() async throws {
        for command in [["sign", "token"], ["api", "transaction", "1"]] {
            let outcome = try await Command.run(
                command + ["--private-key", "/", "--key-id", "A", "--issuer-id", "i", "--app", "a"])
            #expect(outcome.status == 2 && outcome.errors.contains("is a folder"), "\(outcome.errors)")
        }
    }

    @Test func `A key that is given instead of its file is not quoted in the error`() async throws {
        let key = "cfk_3b6JN1nWf23D6j0aLHxJzMEGhL-oE3Z_axPTBuAr5Ug"
        let outcome = try await Command.run([
            "server", "get", "/v1/keys", "--url", "http://127.0.0.1:9", "--key", key, "--json",
        ])
        #expect(outcome.status == 2 && outcome.errors.hasPrefix("Error: --key takes a file"), "\(outcome.errors)")
        #expect(!outcome.text.contains(key))
    }

    @Test(arguments: [["sign", "token"], ["api", "transaction", "1"]])
    func `An invalid option is named in the error`(command: [String]) async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "key.p8")
            try Data("anything".utf8).write(to: file)
            let outcome = try await Command.run(
                command + ["--private-key", file.path, "--key-id", "", "--issuer-id", "i", "--app", "a"])
            #expect(outcome.status == 2 && outcome.errors.hasPrefix("Error: --key-id: "), "\(outcome.errors)")
        }
    }
}

@Suite struct `Commands suggested in output` {
    @Test func `Listing console sessions says that nobody is signed in`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let key = folder.appending(path: "key.txt")
            try Data("cfk_key\n".utf8).write(to: key)
            let answer = LoopbackServer.answer("200 OK", [], Data(#"{"items":[]}"#.utf8))
            for (options, output) in [([] as [String], "nobody is signed in\n"), (["--json"], "")] {
                let server = try LoopbackServer(answer: answer)
                defer { server.stop() }
                let url = "http://127.0.0.1:\(server.port)"
                let outcome = try await Command.run(
                    ["server", "console", "sessions", "--url", url, "--key", key.path] + options)
                #expect(outcome.status == 0 && outcome.output == output, "\(outcome.text)")
            }
        }
    }

    @Test func `A closed standard output is reported`() async throws {
        let outcome = try await Command.run(
            URL(filePath: "/bin/sh"), ["-c", #"exec "$0" --version >&-"#, Tool.executable().path])
        #expect(outcome.status == 1 && outcome.errors.hasSuffix("written: it is closed\n"), "\(outcome.errors)")
    }

    /// Another file of the server took the place of standard output. A program waits for the JSON, so the server ends.
    @Test func `A server that is to print JSON reports that its standard output is closed`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "counterfoil.yaml")
            let text = """
                apps: [{bundle_id: com.example.app, environments: [Sandbox]}]
                storage: {path: ledger.sqlite}
                """
            try Data(text.utf8).write(to: file)
            let outcome = try await Command.run(
                URL(filePath: "/bin/sh"),
                [
                    "-c", #"exec "$0" server run --config "$1" --port 0 --json >&-"#, Tool.executable().path, file.path,
                ])
            #expect(outcome.status == 1 && outcome.errors.contains("written: it is closed\n"), "\(outcome.errors)")
        }
    }
}

@Suite struct `Commands suggested by simulator and server init` {
    private static let products = """
        {"subscriptionGroups": [{"id": "1", "name": "Pro", "subscriptions": [{
          "productID": "pro_monthly", "displayPrice": "2.99", "recurringSubscriptionPeriod": "P1M", "groupNumber": 1,
          "internalID": "2", "referenceName": "Monthly"}]}]}
        """

    @Test(arguments: [nil, "https://purchases.example.com"])
    func `The URL for App Store Connect is the public one, and never an address of this machine`(_ url: String?)
        async throws
    {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "counterfoil.yaml")
            let listen = url.map { "listen: {public_url: \"\($0)\"}\n" } ?? ""
            try Data("apps:\n  - bundle_id: com.example.app\n    apple_id: 1\n\(listen)".utf8).write(to: file)
            let server = try await RunningCommand(
                ["server", "run", "--config", file.path, "--port", "0"], state: folder.appending(path: "state"))
            var lines: [String] = []
            for await line in server.lines {
                if line.hasPrefix("Ctrl-C") { break }
                lines.append(line)
            }
            server.terminate()
            _ = await server.end()
            let wanted =
                url.map { "  \($0)/apple/notifications" } ?? "  the server's public URL (listen.public_url) with"
            #expect(lines.contains { $0.hasPrefix(wanted) }, "\(lines)")
            #expect(!lines.contains { $0.contains("127.0.0.1") && $0.contains("/apple/notifications") }, "\(lines)")
        }
    }

    @Test func `Suggested commands work with the user's own products and notification URL`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let (store, file) = (folder.appending(path: "store"), folder.appending(path: "Products.storekit"))
            try Data(Self.products.utf8).write(to: file)
            let simulator = try await RunningCommand(
                [
                    "simulator", "--directory", store.path, "--catalogue", file.path, "--clock", "frozen",
                    "--notify", "http://127.0.0.1:1/apple/notifications",
                ], state: folder.appending(path: "state"))
            var proposals: Set<String> = []
            for await line in simulator.lines {
                if line.hasPrefix("Ctrl-C") { break }
                proposals.insert(line.trimmingCharacters(in: .whitespaces))
            }
            let written = try await Command.run([
                "server", "init", "--simulator", store.path, "--output", folder.appending(path: "server.yaml").path,
            ])
            simulator.terminate()
            _ = await simulator.end()
            for proposal in [
                "counterfoil simulator buy anna pro_monthly",
                "counterfoil simulator listen --forward-to http://127.0.0.1:1/apple/notifications",
                "counterfoil simulator scenario run grace-period-recovered --alone",
            ] {
                #expect(proposals.contains(proposal), "\(proposals)")
            }
            #expect(written.output.hasSuffix("\n  counterfoil simulator buy anna pro_monthly\n"), "\(written)")
            #expect(written.errors.isEmpty)
        }
    }

    @Test func `A scenario runs with the user's own products, and a built-in one says what to change`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let products = folder.appending(path: "Products.storekit")
            try Data(Self.products.utf8).write(to: products)
            let mine = folder.appending(path: "mine.yaml")
            let text = """
                name: Mine
                steps:
                  - purchase: {customer: anna, product: pro_monthly}
                  - expect:
                      notifications: [SUBSCRIBED.INITIAL_BUY]
                """
            try Data(text.utf8).write(to: mine)
            let options = ["--alone", "--catalogue", products.path]
            let passed = try await Command.run(["simulator", "scenario", "run", mine.path] + options)
            #expect(passed.status == 0, "\(passed)")
            let failed = try await Command.run(["simulator", "scenario", "run", "upgrade"] + options)
            #expect(failed.status == 1 && failed.errors.contains("scenario show upgrade > mine.yaml"), "\(failed)")
        }
    }

    @Test func `A configuration for a simulator without a folder warns that its files disappear`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let simulator = try await RunningCommand(
                ["simulator", "--json"], state: folder, environment: ["TMPDIR": folder.path])
            var lines = simulator.lines.makeAsyncIterator()
            let control = try #require(try RunningCommand.object(await lines.next())["controlURL"] as? String)
            let written = try await Command.run([
                "server", "init", "--simulator", control, "--output", folder.appending(path: "server.yaml").path,
            ])
            simulator.terminate()
            _ = await simulator.end()
            #expect(written.status == 0 && written.errors.contains("simulator --directory"), "\(written.errors)")
        }
    }
}
